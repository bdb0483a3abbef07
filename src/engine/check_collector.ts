import type { CheckOptions, CheckProblem, CheckReport, Misfit } from "../contracts/options/check_options.ts";
import { yieldIfBusy } from "../clock.ts";
import { type ErrorDetails, IntegrityError, StorageError } from "../errors.ts";
import { CHECK_PROBLEMS_MAX } from "../limits.ts";

/** Collects what a check finds, and gives way to other work between its batches. */
export class CheckCollector {
  readonly #options: CheckOptions;
  readonly #problems: CheckProblem[] = [];
  readonly #misfits: Misfit[] = [];
  #first: ErrorDetails = {};
  readonly #rows: Record<string, number> = {};

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Notes something damaged. */
  problem(
    database: CheckProblem["database"],
    table: string,
    problem: string,
    row: string | null = null,
    labels: ErrorDetails = {},
  ): void {
    if (this.#problems.length === 0) this.#first = labels;
    if (this.#problems.length < CHECK_PROBLEMS_MAX) this.#problems.push({ database, table, row, problem });
  }

  /** Notes a value that does not fit its kind any more, which is no damage. */
  misfit(row: string, field: string): void {
    if (this.#misfits.length < CHECK_PROBLEMS_MAX) this.#misfits.push({ row, field });
  }

  /** The labels of the first damaged row, as far as its error named them. */
  get first(): ErrorDetails {
    return this.#first;
  }

  /** How many problems there are: a place to go back to. */
  mark(): number {
    return this.#problems.length;
  }

  /** Takes back what was noted since a mark, because it was read while it changed. */
  rewind(mark: number): void {
    this.#problems.length = mark;
  }

  /** Notes what reading a row threw, if it says that something is damaged; anything else is thrown again. */
  caught(database: CheckProblem["database"], table: string, error: unknown, row: string | null = null): void {
    if (!isDamage(error)) throw error;
    this.problem(database, table, error.message, row, error.details);
  }

  /** Counts a batch of rows, tells how far the check is, and lets other work run. */
  async batch(part: string, rows: number): Promise<void> {
    this.#rows[part] = (this.#rows[part] ?? 0) + rows;
    this.#options.onProgress?.({ part, rows: this.#rows[part] });
    await yieldIfBusy();
    this.#options.signal?.throwIfAborted();
  }

  /** What was found. */
  report(): CheckReport {
    return {
      ok: this.#problems.length === 0,
      problems: this.#problems,
      misfits: this.#misfits,
      rows: this.#rows,
    };
  }
}

/** Whether an error says that what is stored is damaged. */
export function isDamage(error: unknown): error is IntegrityError | StorageError {
  return error instanceof IntegrityError || (error instanceof StorageError && error.code === "CORRUPT");
}
