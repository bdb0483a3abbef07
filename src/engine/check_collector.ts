import type { CheckOptions, CheckProblem, CheckReport, Misfit } from "../contracts/options/check_options.ts";
import { yieldIfBusy } from "../clock.ts";
import { type ErrorDetails, IntegrityError, StorageError } from "../errors.ts";
import { CHECK_PROBLEMS_MAX } from "../limits.ts";

/** What was found and counted up to some moment of a check. */
interface CheckMark {
  readonly problems: number;
  readonly misfits: number;
  readonly rows: Readonly<Record<string, number>>;
}

/** Collects what a check finds, and yields to the event loop between batches. */
export class CheckCollector {
  readonly #options: CheckOptions;
  readonly #problems: CheckProblem[] = [];
  readonly #misfits: Misfit[] = [];
  #first: ErrorDetails = {};
  #rows: Record<string, number> = {};

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

  /** Where the check stands now, for {@linkcode hasProblemSince} and {@linkcode takeBack}. */
  mark(): CheckMark {
    return { problems: this.#problems.length, misfits: this.#misfits.length, rows: { ...this.#rows } };
  }

  /** Whether a problem was noted since a mark. */
  hasProblemSince({ problems }: CheckMark): boolean {
    return this.#problems.length > problems;
  }

  /** Takes back what was noted and counted since a mark, because the rows changed while they were read. */
  takeBack({ problems, misfits, rows }: CheckMark): void {
    this.#problems.length = problems;
    this.#misfits.length = misfits;
    this.#rows = { ...rows };
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
