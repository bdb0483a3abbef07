/** What the calls of a conversation take and give. */

import type { Lifetime } from "./lifetime.ts";

/**
 * What `putTurn` takes besides the turn. Without a lifetime, a revision keeps the one that is there; null clears it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PutTurnOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const messages = [{ messageId: "message-1", role: "user", content: "Which trees were grafted?" }] as const;
 * const options: PutTurnOptions = { operationId: "ask", expectedRevision: await conversation.create() };
 * const revision = await conversation.putTurn({ turnId: "turn-1", scope: conversation.scope, messages }, options);
 * // Sent again, since the answer got lost: the same answer, and nothing is stored twice.
 * assert.equal(await conversation.putTurn({ turnId: "turn-1", scope: conversation.scope, messages }, options), revision);
 * assert.equal((await conversation.snapshot()).turnCount, 1);
 * ```
 */
export interface PutTurnOptions extends Lifetime {
  /** Makes the call harmless to repeat: the same id gives the first answer again, other input with it is refused. */
  readonly operationId: string;
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `putPin` takes besides the pin. A lifetime here is one for a pin that has no `expiresAt` of its own.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PutPinOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const language = { scope: conversation.scope, key: "language", value: "Answer in Welsh.", origin: "settings" };
 * const options: PutPinOptions = { expectedRevision: await conversation.create() };
 * await conversation.putPin(language, options);
 * await assert.rejects(conversation.putPin(language, options), { code: "CONFLICT", reason: "REVISION" });
 * ```
 */
export interface PutPinOptions extends Lifetime {
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `putSummary` takes besides snapshot and summary. A lifetime here is one for a summary that has no `expiresAt` of its
 * own.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PutSummaryOptions, summaryFromHistory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const snapshot = await conversation.snapshot();
 * const history = await Array.fromAsync(conversation.turns({ snapshot }));
 * const made = { content: "Pears: grafted.", policyVersion: "by-hand-1", createdAt: snapshot.at };
 * const summary = summaryFromHistory({ scope: conversation.scope, history, ...made });
 * const options: PutSummaryOptions = { operationId: "summary-1" };
 * const revision = await conversation.putSummary(snapshot, summary, options);
 * assert.equal(await conversation.putSummary(snapshot, summary, options), revision);
 * ```
 */
export interface PutSummaryOptions extends Lifetime {
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `append` takes besides the messages. Without a lifetime, the turn never expires.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type AppendOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const options: AppendOptions = { operationId: "ask" };
 * const first = await conversation.append([{ role: "user", content: "Which trees were grafted?" }], options);
 * assert.deepEqual(await conversation.append([{ role: "user", content: "Which trees were grafted?" }], options), first);
 * ```
 */
export interface AppendOptions extends Lifetime {
  /** Makes the call harmless to repeat; turn id and missing message ids then come from it. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `append` gives.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Appended, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const appended: Appended = await conversation.append([{ role: "user", content: "My door code is 4711." }]);
 * await conversation.delete({ kind: "turn", key: appended.turnId, expectedRevision: appended.revision });
 * assert.equal((await conversation.snapshot()).turnCount, 0);
 * ```
 */
export interface Appended {
  /** The scope's new revision. */
  readonly revision: number;
  /** The id of the turn it made. */
  readonly turnId: string;
}

/**
 * What `cachePut` takes besides snapshot, key and payload. The answer is kept for an hour if no lifetime is given, and for a
 * day at most; null is refused.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type CachePutOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const snapshot = await conversation.snapshot();
 * const options: CachePutOptions = { ttl: 60 };
 * await conversation.cachePut(snapshot, "weather", { dry: true }, options);
 * assert.deepEqual(await conversation.cacheGet(snapshot, "weather"), { dry: true });
 * ```
 */
export interface CachePutOptions extends Lifetime {
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a call that takes nothing else takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type CallOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const options: CallOptions = { signal: AbortSignal.abort() };
 * await assert.rejects(conversation.snapshot(options), { name: "AbortError" });
 * ```
 */
export interface CallOptions {
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}
