/** A place in a store's history of deletions. */

/**
 * A place in a store's history of deletions.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type Watermark } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const watermark: Watermark = await memory.deletionWatermark();
 * assert.equal(watermark.sequence, 1);
 * ```
 */
export interface Watermark {
  /** Which ledger: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How many deletions it has recorded. */
  readonly sequence: number;
  /** The hash chain over all of them: 64 lower-case hex digits. */
  readonly head: string;
}
