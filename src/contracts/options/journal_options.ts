/** What the calls of a journal take and give. */

import type { Json } from "../../canonical/plain.ts";
import type { Damaged } from "../damaged.ts";

/**
 * An entry that a caller appends.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type NewJournalEntry, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * const entry: NewJournalEntry = { uuid: "e1", json: { type: "user", text: "Where is order 7?" } };
 * await journal.append([entry]);
 * await assert.rejects(journal.append([{ ...entry, json: "otherwise" }]), { reason: "IDEMPOTENCY" });
 * ```
 */
export interface NewJournalEntry {
  /** Text that the protocol identifies the entry by, at most 256 code points; unique in its journal. */
  readonly uuid?: string | undefined;
  /** Plain JSON, at most 1 000 000 bytes; stored with its keys in the order given. */
  readonly json: Json;
}

/**
 * An entry of a journal.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type JournalEntry, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * await journal.append([{ json: { b: 1, a: 2 } }]);
 * const entries: readonly JournalEntry[] = await Array.fromAsync(journal.read());
 * assert.deepEqual(entries, [{ place: 1, uuid: null, json: { b: 1, a: 2 } }]);
 * ```
 */
export interface JournalEntry {
  /** Where it stands: the first entry of a journal has place 1, each next one a higher place. */
  readonly place: number;
  /** Its uuid; null if it has none. */
  readonly uuid: string | null;
  /** The value that was appended, with its keys in the same order. */
  readonly json: Json;
}

/**
 * What `append` takes besides the entries.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type AppendEntriesOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * const options: AppendEntriesOptions = { operationId: "step-1" };
 * const revision = await journal.append([{ json: "Hello." }], options);
 * assert.equal(await journal.append([{ json: "Hello." }], options), revision); // nothing is stored twice
 * ```
 */
export interface AppendEntriesOptions {
  /** The journal's revision, 0 if there is no journal yet; any if omitted. */
  readonly expectedRevision?: number | undefined;
  /** Makes the call harmless to repeat: the same id resolves to the first revision, other input with it is refused. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which entries `replaceSuffix` replaces.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type SuffixToReplace } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * await journal.append(["one", "two", "three"].map((json) => ({ json })));
 * const suffix: SuffixToReplace = { from: 2, expectedRevision: await journal.revision() };
 * await journal.replaceSuffix(suffix, [{ json: "the rest" }]);
 * assert.deepEqual(await Array.fromAsync(journal.read(), ({ json }) => json), ["one", "the rest"]);
 * ```
 */
export interface SuffixToReplace {
  /** The place of the first entry that goes; one more than that of the last entry replaces nothing. */
  readonly from: number;
  /** The journal's revision, 0 if there is no journal yet. */
  readonly expectedRevision: number;
}

/**
 * What `replaceSuffix` takes besides the suffix and the entries.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ReplaceSuffixOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * const suffix = { from: 1, expectedRevision: 0 };
 * const options: ReplaceSuffixOptions = { operationId: "compaction-1" };
 * const revision = await journal.replaceSuffix(suffix, [{ json: "summary" }], options);
 * assert.equal(await journal.replaceSuffix(suffix, [{ json: "summary" }], options), revision);
 * ```
 */
export interface ReplaceSuffixOptions {
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `read` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ReadJournalOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * await journal.append(["one", "two", "three"].map((json) => ({ json })));
 * const options: ReadJournalOptions = { last: 2, before: 3 };
 * assert.deepEqual(await Array.fromAsync(journal.read(options), ({ json }) => json), ["one", "two"]);
 * ```
 */
export interface ReadJournalOptions {
  /** Only the newest so many. */
  readonly last?: number | undefined;
  /** Only entries after this place. */
  readonly after?: number | undefined;
  /** Only entries before this place. */
  readonly before?: number | undefined;
  /** What becomes of damaged entries: `"error"` (the default) ends with one, `"skip"` leaves them out. */
  readonly damaged?: Damaged | undefined;
  /** Ends the read before its next page. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `pop` takes besides the number.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PopOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * const options: PopOptions = { expectedRevision: await journal.append([{ json: "Hello." }]) };
 * assert.equal((await journal.pop(1, options)).length, 1);
 * await assert.rejects(journal.pop(1, options), { reason: "REVISION" });
 * ```
 */
export interface PopOptions {
  /** The journal's revision; any if omitted. With it, a call that is repeated after an unknown outcome pops nothing twice. */
  readonly expectedRevision?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `clear` and `delete` take.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type EraseJournalOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * await journal.append([{ json: "My door code is 4711." }]);
 * const options: EraseJournalOptions = { scrub: true, operationId: "forget-the-code" };
 * const receipt = await journal.clear(options);
 * assert.equal((await journal.clear(options)).sequence, receipt.sequence);
 * ```
 */
export interface EraseJournalOptions {
  /** The journal's revision; any if omitted. */
  readonly expectedRevision?: number | undefined;
  /** Whether to scrub the bytes from the files right afterwards. A deletion never fails because its scrub did. */
  readonly scrub?: boolean | undefined;
  /** Makes the call harmless to repeat: the same id resolves to the first receipt. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}
