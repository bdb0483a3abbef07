/** Options and results of inspecting a store: names, counts and times, no text. */

import type { Leftover } from "./leftovers_report.ts";
import type { Scope } from "../scope.ts";

/**
 * What `inspect` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type InspectOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const options: InspectOptions = { limit: 1 };
 * const { scopes } = await memory.inspect(options);
 * assert.equal(scopes.length, 1);
 * ```
 */
export interface InspectOptions {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** Tenants and scopes in one page: 1 to 1 000; 100 if omitted. */
  readonly limit?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A tenant's records.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type InspectedTenant, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * await memory.records.put(run, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
 * const tenants: readonly InspectedTenant[] = (await memory.inspect()).tenants;
 * assert.deepEqual(tenants.map(({ tenantId, records }) => [tenantId, records]), [["orchard", 1]]);
 * ```
 */
export interface InspectedTenant {
  /** Whose. */
  readonly tenantId: string;
  /** Records, expired ones that were not purged among them. */
  readonly records: number;
  /** UTF-8 bytes of their values as stored. */
  readonly bytes: number;
  /** When the first of them expires, as ISO text; null if none ever does. */
  readonly nextExpiryAt: string | null;
}

/**
 * A scope, by its running totals.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type InspectedScope, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const scopes: readonly InspectedScope[] = (await memory.inspect()).scopes;
 * assert.deepEqual(scopes.map(({ turns, pins, nextExpiryAt }) => [turns, pins, nextExpiryAt]), [[1, 0, null]]);
 * ```
 */
export interface InspectedScope {
  /** Whose, and which. */
  readonly scope: Scope;
  /** Moves with every change of the scope. */
  readonly revision: number;
  /** Turns, expired ones that were not erased among them. */
  readonly turns: number;
  /** UTF-8 bytes of those turns as stored. */
  readonly bytes: number;
  /** Pins, inactive ones and expired ones that were not erased among them. */
  readonly pins: number;
  /** Journals. */
  readonly journals: number;
  /** UTF-8 bytes of their entries as stored. */
  readonly journalBytes: number;
  /** No later than the first time at which something of the scope expires, as ISO text; null if nothing ever does. */
  readonly nextExpiryAt: string | null;
}

/**
 * One page of what a store holds.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Inspection, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * await memory.conversation({ tenantId: "orchard", sessionId: "autumn" }).create();
 * const names: string[] = [];
 * for (let after: string | undefined;;) {
 *   const page: Inspection = await memory.inspect({ limit: 1, after });
 *   names.push(...page.scopes.map(({ scope }) => scope.sessionId));
 *   if (page.next === null) break;
 *   after = page.next;
 * }
 * assert.deepEqual(names, ["spring", "autumn"]);
 * ```
 */
export interface Inspection {
  /** Tenants that have records, by name. */
  readonly tenants: readonly InspectedTenant[];
  /** Scopes, in the order in which they were made. */
  readonly scopes: readonly InspectedScope[];
  /** Recorded deletions that are not carried out yet; what they name is left out. 0 unless the store is read-only. */
  readonly pending: number;
  /** Files that backups, exports and restores of the store were making, and that still lie under their working names. */
  readonly leftovers: readonly Leftover[];
  /** Hand it to the next call as `after`; null once there is no more. */
  readonly next: string | null;
}
