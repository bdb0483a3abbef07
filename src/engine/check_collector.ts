import type { CheckOptions, CheckProblem, CheckReport, Misfit } from "../contracts/options/check_options.ts";
import { yieldIfBusy } from "../clock.ts";
import { type ErrorDetails, IntegrityError, StorageError } from "../errors.ts";
import { CHECK_PROBLEMS_MAX } from "../limits.ts";

/** Collects what a check finds, and yields to the event loop between batches. */
export class CheckCollector {
  readonly #options: CheckOptions;
  readonly #problems: CheckProblem[] = [];
  readonly #misfits: Misfit[] = [];
  #first: ErrorDetails = {};
  readonly #rows: Record<string, number> = {};

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Notes a problem. */
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

  /** Notes a value that no longer fits its kind, which is not damage. */
  misfit(row: string, field: string): void {
    if (this.#misfits.length < CHECK_PROBLEMS_MAX) this.#misfits.push({ row, field });
  }

  /** The labels of the first damaged row, as far as its error named them. */
  get first(): ErrorDetails {
    return this.#first;
  }

  /** Marks the current number of problems, for {@linkcode rewind}. */
  mark(): number {
    return this.#problems.length;
  }

  /** Removes the problems noted since a mark, because the rows changed while they were read. */
  rewind(mark: number): void {
    this.#problems.length = mark;
  }

  /** Notes an error that reports damage; rethrows any other. */
  caught(database: CheckProblem["database"], table: string, error: unknown, row: string | null = null): void {
    if (!isDamage(error)) throw error;
    this.problem(database, table, error.message, row, error.details);
  }

  /** Counts a batch of rows, reports progress, and yields to the event loop. */
  async batch(part: string, rows: number): Promise<void> {
    this.#rows[part] = (this.#rows[part] ?? 0) + rows;
    this.#options.onProgress?.({ part, rows: this.#rows[part] });
    await yieldIfBusy();
    this.#options.signal?.throwIfAborted();
  }

  /** Returns the report. */
  report(): CheckReport {
    return {
      ok: this.#problems.length === 0,
      problems: this.#problems,
      misfits: this.#misfits,
      rows: this.#rows,
    };
  }
}

/** Whether an error reports damage in the store. */
export function isDamage(error: unknown): error is IntegrityError | StorageError {
  return error instanceof IntegrityError || (error instanceof StorageError && error.code === "CORRUPT");
}
