/** What the calls on records that set a lifetime take. */

import type { Lifetime, RequiredLifetime } from "./lifetime.ts";

/** The lifetime that a call takes: built-in kinds require one; of other kinds a record without one never expires. */
export type KindLifetime<Kind extends string> = Kind extends "checkpoint" | "fact" ? RequiredLifetime
  : Lifetime;

/**
 * What `put` takes besides identity and value. The record stops being seen when its lifetime ends. It must be given for
 * checkpoints, facts and kinds with a `ttlMax`; of other kinds, a record that is put without one never expires. `expiresAt`
 * counts in whole seconds, rounded down.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PutOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * const options: PutOptions<"checkpoint"> = { expectedRevision: null, ttl: 3_600, operationId: "begin" };
 * const revision = await memory.records.put(run, start, options);
 * assert.equal(await memory.records.put(run, start, options), revision); // sent again: the same answer
 * ```
 */
export type PutOptions<Kind extends string = string> = KindLifetime<Kind> & {
  /** The revision that must be there now, or null if nothing may be. */
  readonly expectedRevision: number | null;
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Makes the call harmless to repeat: for a day, the same id gives the first answer again. */
  readonly operationId?: string | undefined;
  /** Seconds from the record's creation that no later `put` can pass; a later one can only lower it. */
  readonly maxAge?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * What `update` takes besides identity and change; a lifetime as `put`, where one that is omitted stays what it is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type UpdateOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * await memory.records.put(run, start, { expectedRevision: null, ttl: 60 });
 * const options: UpdateOptions<"checkpoint"> = { ttl: 3_600, attempts: 1 };
 * await memory.records.update(run, (now) => ({ ...now, step: 1 }), options);
 * assert.equal((await memory.records.get(run))?.value.step, 1);
 * ```
 */
export type UpdateOptions<Kind extends string = string> = KindLifetime<Kind> & {
  /** How often it rereads and recomputes at most; 8 if omitted. */
  readonly attempts?: number | undefined;
  /** Withdraws the call between attempts and while it is queued. */
  readonly signal?: AbortSignal | undefined;
};
