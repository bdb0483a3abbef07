/** Receipts of deletions, and what verifying one finds. */

import type { SweptLeftovers } from "./leftovers_report.ts";

/**
 * What was erased, by what it was.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ErasedCounts, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { erased } = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const { turns, pins }: ErasedCounts = erased;
 * assert.deepEqual([turns, pins], [1, 0]);
 * ```
 */
export interface ErasedCounts {
  /** Turns. */
  readonly turns: number;
  /** Pins, those that cited an erased turn among them. */
  readonly pins: number;
  /** Summaries. */
  readonly summaries: number;
  /** Chunks of the index. */
  readonly chunks: number;
  /** Postings of the index. */
  readonly postings: number;
  /** Cached responses. */
  readonly replay: number;
  /** Remembered operations. */
  readonly operations: number;
  /** Journals. */
  readonly journals: number;
  /** Entries of journals. */
  readonly entries: number;
}

/**
 * What was deleted, as keyed hashes: without the store's key no guess can be confirmed by them.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ReceiptTarget } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const receipt = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const target: ReceiptTarget = receipt.target;
 * assert(!JSON.stringify(target).includes("orchard"));
 * assert.equal(target.key, undefined); // the whole session
 * ```
 */
export interface ReceiptTarget {
  /** The hash of the tenant: 32 lower-case hex digits, as all of them. */
  readonly tenantId: string;
  /** The hash of the session, its tenant included. */
  readonly sessionId: string;
  /** The hash of the turn's id, the pin's key or the journal's part, its session included; absent for a whole scope. */
  readonly key?: string;
}

/**
 * What a receipt has to be about; a field that is left out is not compared.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ReceiptSubject } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const receipt = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const subject: ReceiptSubject = { tenantId: "orchard", sessionId: "autumn" };
 * assert.equal((await memory.verifyReceipt(receipt, subject)).about, false);
 * ```
 */
export interface ReceiptSubject {
  /** The tenant. */
  readonly tenantId: string;
  /** The session; needed with `key`. */
  readonly sessionId?: string | undefined;
  /**
   * The turn's id, the pin's key or the journal's part. Without it, look at the receipt's `kind`: only `scope` means the
   * whole session.
   */
  readonly key?: string | undefined;
}

/**
 * A receipt: the deletion's place in the ledger, and what was deleted. Keep it to prove the deletion later.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type Receipt } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const target = { kind: "scope", expectedRevision: await conversation.revision() } as const;
 * const receipt: Receipt = await conversation.delete(target);
 * assert.equal(receipt.sequence, 1);
 * const { head, already } = await conversation.delete(target);
 * assert.deepEqual([head, already], [receipt.head, true]);
 * ```
 */
export interface Receipt {
  /** Which ledger: 32 lower-case hex digits. */
  readonly lineage: string;
  /** The event's place in the ledger, from 1. */
  readonly sequence: number;
  /** The hash chain up to and including the event: 64 lower-case hex digits. */
  readonly head: string;
  /** What was deleted. */
  readonly kind: "scope" | "turn" | "pin" | "journal";
  /** Whether the identifier can never be used again; false for a journal that was cleared. */
  readonly reserved: boolean;
  /** When, as ISO text. */
  readonly at: string;
  /** Whether it had been deleted before; then this is the receipt of that deletion, and nothing changed now. */
  readonly already: boolean;
  /** Whether its bytes were scrubbed from the files right afterwards. */
  readonly scrubbed: boolean;
  /** What was erased. */
  readonly erased: ErasedCounts;
  /** What was deleted, as hashes. */
  readonly target: ReceiptTarget;
  /** The store's message authentication code over all other fields: 32 lower-case hex digits. */
  readonly mac: string;
}

/**
 * What looking at a receipt again finds.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ReceiptReport } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const receipt = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const report: ReceiptReport = await memory.verifyReceipt(JSON.parse(JSON.stringify(receipt)));
 * assert.equal(report.valid, true);
 * const forged = await memory.verifyReceipt({ ...receipt, head: receipt.head.replace(/^./, "x") });
 * assert.deepEqual([forged.valid, forged.authentic, forged.event], [false, false, false]);
 * ```
 */
export interface ReceiptReport {
  /** Whether all of the following holds. */
  readonly valid: boolean;
  /** Whether the receipt is of this store's ledger. */
  readonly lineage: boolean;
  /** Whether this store made the receipt, and no field was changed since. */
  readonly authentic: boolean;
  /** Whether it is about the subject that was named; null where none was. */
  readonly about: boolean | null;
  /** Whether the whole chain of events is unbroken. */
  readonly chain: boolean;
  /** Whether the event stands where the receipt says, and says the same. */
  readonly event: boolean;
  /** Whether main has carried it out. */
  readonly applied: boolean;
  /** Rows that still belong to what was deleted, by table; empty if nothing remains. */
  readonly remains: Readonly<Record<string, number>>;
}

/**
 * What `delete` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type DeleteTarget, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const [turn] = await Array.fromAsync(conversation.turns());
 * const target: DeleteTarget = { kind: "turn", key: turn!.turnId, expectedRevision: await conversation.revision() };
 * assert.equal((await conversation.delete(target)).erased.turns, 1);
 * ```
 */
export interface DeleteTarget {
  /** What to delete: the whole scope, or one turn or pin of it. */
  readonly kind: "scope" | "turn" | "pin";
  /** The turn's id or the pin's key; absent for a scope. */
  readonly key?: string | undefined;
  /** The scope's revision. */
  readonly expectedRevision: number;
}

/**
 * What `delete` takes besides the target.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type DeleteOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const options: DeleteOptions = { scrub: true };
 * const receipt = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() }, options);
 * assert.equal(receipt.scrubbed, true);
 * ```
 */
export interface DeleteOptions {
  /** Whether to scrub the bytes from the files right afterwards. A deletion never fails because its scrub did. */
  readonly scrub?: boolean | undefined;
  /** Makes the call safe to repeat: the same id returns the first receipt. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `prune` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PruneOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const options: PruneOptions = { scrub: false };
 * assert.equal((await memory.prune(options)).scrub, null);
 * ```
 */
export interface PruneOptions {
  /** Whether to scrub the files; true if omitted. */
  readonly scrub?: boolean | undefined;
  /** Whether a clock that is behind the highest time seen is to be believed: lowers the store's mark first. */
  readonly acceptClock?: boolean | undefined;
  /** Cancels between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far it is. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/**
 * How far a prune is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PruneProgress } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const parts = new Set<PruneProgress["part"]>();
 * await memory.prune({ onProgress: ({ part }) => parts.add(part) });
 * assert(parts.has("scrub"));
 * ```
 */
export interface PruneProgress {
  /** What it is doing. */
  readonly part: "expire" | "index" | "scrub";
  /** Things expired, indexes cleared away, or tables rewritten, so far. */
  readonly done: number;
}

/**
 * What a prune did.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PruneReport } from "@holdfast/memory";
 *
 * let nowMs = Date.UTC(2026, 2, 1);
 * await using memory = await openMemory(":memory:", { clock: () => nowMs });
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * await memory.records.put(run, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
 * nowMs += 60_000;
 * const { expired, scrub }: PruneReport = await memory.prune();
 * assert.deepEqual([expired.records, scrub?.complete], [1, true]);
 * ```
 */
export interface PruneReport {
  /** What had expired and was erased. */
  readonly expired: {
    /** Turns. */
    readonly turns: number;
    /** Pins, those that cited an expired turn among them. */
    readonly pins: number;
    /** Summaries. */
    readonly summaries: number;
    /** Cached responses. */
    readonly replay: number;
    /** Records. */
    readonly records: number;
  };
  /** Indexes that had made room for others, and of which something was still there. */
  readonly retiredIndexes: number;
  /** By how many milliseconds the clock mark was lowered. */
  readonly clockLoweredByMs: number;
  /** What became of files that killed backups, exports and restores of the store left behind. */
  readonly leftovers: SweptLeftovers;
  /** What scrubbing did; null if it was left out, or the store's engine has nothing to scrub. */
  readonly scrub: ScrubReport | null;
}

/**
 * What scrubbing did. Erasure of bytes is promised only where it is complete.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ScrubReport } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const scrub: ScrubReport | null = (await memory.prune()).scrub;
 * assert.equal(scrub?.complete, true); // no byte of it is left
 * ```
 */
export interface ScrubReport {
  /** Whether every table that lost content was rewritten, and both logs emptied. */
  readonly complete: boolean;
  /** What stood in the way: readers, or other writers; null if it is complete or was cancelled. */
  readonly by: "READERS" | "BUSY" | null;
  /** Tables rewritten. */
  readonly tables: number;
  /** Bytes by which the file became smaller. */
  readonly bytesReturned: number;
}
