/** A place in a store's history of deletions. */

/** A place in a store's history of deletions. */
export interface Watermark {
  /** Which ledger: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How many deletions it has recorded. */
  readonly sequence: number;
  /** The hash chain over all of them: 64 lower-case hex digits. */
  readonly head: string;
}
