/** What a batch of indexing is asked for, and how far it came. */

import type { IndexKind } from "./index_state.ts";

/** How far an index is. */
export interface IndexProgress {
  /** Whether it can be searched. */
  readonly status: "READY" | "BUILDING";
  /** Turns that this call indexed. */
  readonly processed: number;
  /** Turns that are left. */
  readonly remaining: number;
  /** Names chunk size, overlap and analyzer: all that makes one index another. */
  readonly indexKey: string;
}

/** A call of `indexBatch`, validated. */
export interface ValidatedBatch {
  readonly kind: IndexKind;
  readonly batchSize: number;
  readonly signal: AbortSignal | undefined;
}
