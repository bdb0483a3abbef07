/** Schema versions as an append-only list of statements. */

/** One step from a version to the next. */
export interface Migration {
  /** The version it leads to; the first is 1. */
  readonly version: number;
  /** What it runs, in order, inside the one transaction that also sets the version. */
  readonly statements: readonly string[];
  /** Sets the version. */
  readonly setVersion: string;
}
