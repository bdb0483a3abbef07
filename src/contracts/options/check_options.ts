/** What `check` takes and finds. */

/** What `check` takes. */
export interface CheckOptions {
  /** Cancels the check between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far it is. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
}

/** How far a check is. */
export interface CheckProgress {
  /** What is being looked through: a table, or `pages`. */
  readonly part: string;
  /** Rows of it that were looked at. */
  readonly rows: number;
}

/** Something that is damaged. */
export interface CheckProblem {
  /** Which file. */
  readonly database: "main" | "ledger";
  /** Which table, or `pages`. */
  readonly table: string;
  /** Which row, by its labels (never its text); null where no single row is meant. */
  readonly row: string | null;
  /** What is wrong, without content. */
  readonly problem: string;
}

/**
 * A record whose value does not fit its kind any more, such as one stored before the kind got a further field. It is
 * intact: backups and restores take it along, and a put replaces it.
 */
export interface Misfit {
  /** Which record, by its labels: tenant, kind and key. */
  readonly row: string;
  /** What of it does not fit: a name that the schema declares, or `value`. */
  readonly field: string;
}

/** What a check found. */
export interface CheckReport {
  /** Whether nothing is damaged. */
  readonly ok: boolean;
  /** What is damaged; at most 1 000 problems are listed. */
  readonly problems: readonly CheckProblem[];
  /** Records that are intact and do not fit their kind any more; at most 1 000 are listed. */
  readonly misfits: readonly Misfit[];
  /** Rows looked at, by table. */
  readonly rows: Readonly<Record<string, number>>;
}
