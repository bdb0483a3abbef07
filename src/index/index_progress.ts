/** What a batch of indexing is asked for, and how far it came. */

import type { IndexKind } from "./index_state.ts";

/**
 * How far an index is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type IndexProgress, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const snapshot = await conversation.snapshot();
 * let progress: IndexProgress;
 * do progress = await conversation.indexBatch(snapshot); while (progress.status !== "READY");
 * assert.equal(progress.remaining, 0);
 * ```
 */
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
