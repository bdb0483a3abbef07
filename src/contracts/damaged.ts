/** What a call does about a damaged row, and how it names one. */

/**
 * What a call does about a damaged row: `"error"`, the default, ends it with an `IntegrityError` that names the row;
 * `"skip"` leaves the row out, and what the call returns lists it as `skipped`.
 */
export type Damaged = "error" | "skip";

/** A damaged row, by its labels and never by its text. The `details` of an `IntegrityError` name it in the same way. */
export interface DamagedRow {
  /** The table, as `check` names it: `turns`, `pins`, `summaries`, `records`, … */
  readonly table: string;
  /** Whose row it is. */
  readonly tenantId?: string | undefined;
  /** The conversation; absent for a record. */
  readonly sessionId?: string | undefined;
  /** The turn, where the row is of one. */
  readonly turnId?: string | undefined;
  /** The kind of a record. */
  readonly kind?: string | undefined;
  /** The key of a pin or record. */
  readonly key?: string | undefined;
  /** The part of a journal, where the row is of one or of an entry; empty for the one without a name. */
  readonly part?: string | undefined;
  /** The place of an entry in its journal. */
  readonly place?: number | undefined;
}

/** Things that are read one by one, and what was damaged and left out of them so far: complete once all are read. */
export interface Skipping<T> extends AsyncIterable<T> {
  /** What was left out so far; at most 1 000 rows are listed. Always empty without `damaged: "skip"`. */
  readonly skipped: readonly DamagedRow[];
}
