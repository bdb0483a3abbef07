/** The arguments and the result of a batch of indexing. */

import type { IndexKind } from "./index_state.ts";

/** The progress of an index. */
export interface IndexProgress {
  /** `READY` if the index is complete and can be searched. */
  readonly status: "READY" | "BUILDING";
  /** The number of turns that this call indexed. */
  readonly processed: number;
  /** The number of turns that are not indexed yet. */
  readonly remaining: number;
  /** Chunk size, overlap and analyzer, which together identify an index of a conversation. */
  readonly indexKey: string;
}

/** The validated arguments of `indexBatch`. */
export interface ValidatedBatch {
  readonly kind: IndexKind;
  readonly batchSize: number;
  readonly signal: AbortSignal | undefined;
}
