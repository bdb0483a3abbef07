/** What harness records look like to callers: identities, checkpoints, facts, and what the calls take and give. */

import type { Json } from "../canonical/plain.ts";

/**
 * What names a record. A label, not an authorization: derive the tenant from your own trusted session.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type RecordIdentity } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run: RecordIdentity<"checkpoint"> = { tenantId: "orchard", kind: "checkpoint", key: "run-a" };
 * assert.equal(await memory.records.get(run), null);
 * ```
 */
export interface RecordIdentity<Kind extends string = string> {
  /** Whose record: `^[a-z][a-z0-9-]{0,31}$`, or any text of 1–256 code points for kinds with text identifiers. */
  readonly tenantId: string;
  /** `checkpoint`, `fact`, or the name of a kind handed to `openMemory`. */
  readonly kind: Kind;
  /** Which record, in the same format as the tenant. */
  readonly key: string;
}

/**
 * Where one execution stopped.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Checkpoint, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const checkpoint: Checkpoint = { schema: 1, step: 2, items: ["collected", "sorted"] };
 * await memory.records.put(run, checkpoint, { expectedRevision: null, ttl: 3_600 });
 * assert.deepEqual((await memory.records.get(run))?.value, checkpoint);
 * ```
 */
export interface Checkpoint {
  /** The version of this shape. */
  readonly schema: 1;
  /** 0, 1 or 2. */
  readonly step: number;
  /** At most 8 texts of 1–256 code points. */
  readonly items: readonly string[];
}

/**
 * Something that later runs may consult.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Fact, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const preference = { tenantId: "orchard", kind: "fact", key: "preference" } as const;
 * const fact: Fact = { schema: 1, text: "Prefers lists.", source: "chat-7", reviewed: false };
 * await memory.records.put(preference, fact, { expectedRevision: null, ttl: 3_600 });
 * assert.deepEqual((await memory.records.get(preference))?.value, fact);
 * ```
 */
export interface Fact {
  /** The version of this shape. */
  readonly schema: 1;
  /** 1–256 code points. */
  readonly text: string;
  /** 1–256 code points. */
  readonly source: string;
  /** An annotation: no access grant, no truth, no permission to execute the text. */
  readonly reviewed: boolean;
}

/**
 * The value a kind of record holds.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type RecordValue } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * const advance = (now: RecordValue<"checkpoint">): RecordValue<"checkpoint"> => ({ ...now, step: now.step + 1 });
 * await memory.records.put(run, start, { expectedRevision: null, ttl: 3_600 });
 * await memory.records.update(run, advance, { ttl: 3_600 });
 * assert.equal((await memory.records.get(run))?.value.step, 1);
 * ```
 */
export type RecordValue<Kind extends string> = Kind extends "checkpoint" ? Checkpoint
  : Kind extends "fact" ? Fact
  : Json;

/**
 * The value that is put: plain JSON that fits its kind, in whatever type the caller has it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type RecordInput } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start: RecordInput<"checkpoint"> = { schema: 1, step: 0, items: [] };
 * assert((await memory.records.put(run, start, { expectedRevision: null, ttl: 3_600 })) > 0);
 * ```
 */
export type RecordInput<Kind extends string> = Kind extends "checkpoint" ? Checkpoint
  : Kind extends "fact" ? Fact
  : unknown;

/**
 * A record as `get` returns it: a fresh copy.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Checkpoint, openMemory, type StoredRecord } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * const revision = await memory.records.put(run, start, { expectedRevision: null, ttl: 60, now: 1_000 });
 * const found: StoredRecord<Checkpoint> | null = await memory.records.get(run, { now: 1_059 });
 * assert.deepEqual(found, { revision, expires: 1_060, value: start });
 * ```
 */
export interface StoredRecord<Value> {
  /** Compared by the next `put`; never handed out twice in one store. */
  readonly revision: number;
  /** Seconds since the Unix epoch at which it stops being seen; null where its kind sets no deadline. */
  readonly expires: number | null;
  /** What was put. */
  readonly value: Value;
}

/**
 * What `get` takes besides the identity.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type GetOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * await memory.records.put(run, start, { expectedRevision: null, ttl: 60, now: 1_000 });
 * const atDeadline: GetOptions = { now: 1_060 };
 * assert.equal(await memory.records.get(run, atDeadline), null);
 * ```
 */
export interface GetOptions {
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `forget` takes besides identity and expected revision.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ForgetOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * const revision = await memory.records.put(run, start, { expectedRevision: null, ttl: 60 });
 * const options: ForgetOptions = { revoke: true };
 * assert.equal(await memory.records.forget(run, revision, options), true);
 * const again = memory.records.put(run, start, { expectedRevision: null, ttl: 60 });
 * await assert.rejects(again, { code: "CONFLICT", reason: "DELETED" });
 * ```
 */
export interface ForgetOptions {
  /** Whether the identity may never be used again; then also an identity without a record is refused for ever. */
  readonly revoke?: boolean | undefined;
  /** Makes the call safe to repeat: for a day, the same id returns the first result. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `purge` takes besides the tenant.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PurgeOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * await memory.records.put(run, start, { expectedRevision: null, ttl: 60, now: 1_000 });
 * const options: PurgeOptions = { now: 1_060 };
 * assert.equal(await memory.records.purge("orchard", options), 1);
 * ```
 */
export interface PurgeOptions {
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `list` takes besides the tenant.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ListOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * await memory.records.put(run, start, { expectedRevision: null, ttl: 60 });
 * const facts: ListOptions = { kind: "fact" };
 * assert.equal((await memory.records.list("orchard", facts)).items.length, 0);
 * ```
 */
export interface ListOptions {
  /** Only records of this kind. */
  readonly kind?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** Records in one page: 0 to 1 000; 100 if omitted. */
  readonly limit?: number | undefined;
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One live record in a list, without its value.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type RecordItem } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * const revision = await memory.records.put(run, start, { expectedRevision: null, ttl: 60, now: 1_000 });
 * const [item]: readonly RecordItem[] = (await memory.records.list("orchard", { now: 1_000 })).items;
 * assert.deepEqual(item, { kind: "checkpoint", key: "run-a", revision, expires: 1_060 });
 * ```
 */
export interface RecordItem {
  /** The record's kind. */
  readonly kind: string;
  /** The record's key. */
  readonly key: string;
  /** Compared by the next `put`. */
  readonly revision: number;
  /** Seconds since the Unix epoch; null where its kind sets no deadline. */
  readonly expires: number | null;
}

/**
 * One page of live records, by kind and key in code point order.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type RecordPage } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * for (const key of ["run-a", "run-b"]) {
 *   await memory.records.put({ ...run, key }, start, { expectedRevision: null, ttl: 60 });
 * }
 * const first: RecordPage = await memory.records.list("orchard", { limit: 1 });
 * const second: RecordPage = await memory.records.list("orchard", { after: first.next! });
 * assert.deepEqual([first.items[0]?.key, second.items[0]?.key, second.next], ["run-a", "run-b", null]);
 * ```
 */
export interface RecordPage {
  /** The records of this page. */
  readonly items: readonly RecordItem[];
  /** Hand it to the next call as `after`; null once there is no more. */
  readonly next: string | null;
}
