/** The calls of a transaction: collected and validated while the caller's function runs, and run together afterwards. */

import { keyedHash, toHex } from "./canonical/keyed_hash.ts";
import { randomIdentity } from "./clock.ts";
import {
  isFunction,
  isRevoked,
  readFields,
  requireList,
  requireSignal,
  requireText,
} from "./contracts/arguments.ts";
import type {
  Appended,
  AppendedOrSkipped,
  AppendOptions,
  PutPinOptions,
  PutSummaryOptions,
} from "./contracts/options/conversation_options.ts";
import type { RecordPlace } from "./contracts/options/kind_options.ts";
import type { PutOptions } from "./contracts/options/record_options.ts";
import { LIFETIME_NAMES } from "./contracts/options/lifetime.ts";
import { LateModule } from "./contracts/late_module.ts";
import type { NewMessages } from "./contracts/new_message.ts";
import type { PinInput } from "./contracts/pin.ts";
import type { RecordIdentity, RecordInput } from "./contracts/record.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import { type Scope, toScope } from "./contracts/scope.ts";
import type { Snapshot } from "./contracts/snapshot.ts";
import type { Summary } from "./contracts/summary.ts";
import { type Context, planPutPin, planPutSummary } from "./conversations/plans.ts";
import type { ScopeLimits } from "./conversations/put_turn.ts";
import { ScopeAccess } from "./conversations/scope_access.ts";
import { planAppend } from "./conversations/turn_plans.ts";
import { tenantHash } from "./deletion/scope_hashes.ts";
import type { Engine } from "./engine/engine.ts";
import type { GroupTime } from "./engine/operation.ts";
import { ConflictError, ContractError, KindError } from "./errors.ts";
import {
  OPERATION_ID_CODE_POINTS_MAX,
  TRANSACTION_BYTES_MAX,
  TRANSACTION_CALLS_MAX,
  UPKEEP_ROUNDS_MAX,
} from "./limits.ts";
import { planPutOf, type Records } from "./records/record_calls.ts";
import type { PlannedCall } from "./run_transaction.ts";
import { type Place, placeOf } from "./scopes/place.ts";
import type { OperationKey } from "./tables/operation_ids.ts";

const RUNNING = new LateModule(() => import("./run_transaction.ts"));

/** What `memory.transaction` takes besides the function. */
export interface TransactionOptions {
  /** Makes the whole safe to repeat: for a day, the same id returns the first results; other input with it is refused. */
  readonly operationId?: string | undefined;
  /** Withdraws the transaction while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of one call of a transaction, in the list of all. */
export type TransactionResult = number | Appended | AppendedOrSkipped;

/** The results of the calls that the function returned. */
export type TransactionResults<Calls extends readonly unknown[]> = {
  -readonly [Index in keyof Calls]: Calls[Index] extends PendingCall<infer Result> ? Result : never;
};

/** The options of a call as part of a transaction, which alone has an operation id and a signal. */
export type WithinTransaction<Options> = Options extends unknown ? Omit<Options, "operationId" | "signal">
  : never;

/** The options of a call, whose expected revision may be what an earlier call of the transaction made. */
export type AfterCall<Options, Revision> = Options extends unknown
  ? Omit<Options, "operationId" | "signal" | "expectedRevision"> & { readonly expectedRevision: Revision }
  : never;

/** The options of a put in a transaction. */
export type TransactionPutOptions<Kind extends string = string> = AfterCall<
  PutOptions<Kind>,
  number | null | PendingCall<number>
>;

/** The options of a pin in a transaction. */
export type TransactionPinOptions = AfterCall<
  PutPinOptions,
  number | PendingCall<number> | PendingCall<Appended> | PendingCall<AppendedOrSkipped>
>;

let positionOf: (call: unknown) => number | null;
let ownerOf: (call: unknown) => Transaction | null;

/**
 * A call of a transaction that is not committed yet. Return it from the transaction's function for its result, or pass it
 * as the `expectedRevision` of a later call on the same record or conversation.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type PendingCall, type Transaction } from "@holdfast/memory";
 *
 * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
 * const begin = (transaction: Transaction): PendingCall<number> =>
 *   transaction.put(run, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
 * await using memory = await openMemory(":memory:");
 * assert.deepEqual(await memory.transaction((transaction) => [begin(transaction)]), [1]);
 * ```
 */
export class PendingCall<Result> {
  static {
    positionOf = (call) => isPending(call) ? call.#position : null;
    ownerOf = (call) => isPending(call) ? call.#owner : null;
    const isPending = (call: unknown): call is PendingCall<unknown> =>
      typeof call === "object" && call !== null && #position in call;
  }

  readonly #owner: Transaction;
  readonly #position: number;
  /** Only a type. */
  declare protected readonly result: Result;

  /** Use the methods of {@linkcode Transaction} instead. */
  constructor(owner: Transaction, position: number) {
    this.#owner = owner;
    this.#position = position;
  }
}

/** What the calls of a transaction need of the memory. */
interface TransactionParts {
  readonly engine: Engine;
  readonly records: Records;
  readonly limits: ScopeLimits;
}

let run: (transaction: Transaction, collect: unknown, signal: AbortSignal | undefined) => Promise<unknown>;

/**
 * Collects the calls of one transaction. Passed to the function of `memory.transaction`; nothing is written before that
 * function has returned.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type Transaction } from "@holdfast/memory";
 *
 * const ask = (transaction: Transaction) =>
 *   transaction.append({ tenantId: "acme", sessionId: "ticket-7" }, [{ role: "user", content: "Where is order 7?" }]);
 * await using memory = await openMemory(":memory:");
 * const [{ revision }] = await memory.transaction((transaction) => [ask(transaction)]);
 * assert.equal(revision, 1);
 * ```
 */
export class Transaction {
  static {
    run = (transaction, collect, signal) => transaction.#run(collect, signal);
  }

  readonly #parts: TransactionParts;
  readonly #operationId: string | null;
  readonly #calls: PlannedCall[] = [];
  /** What each call is about, so that a revision is only expected of the same. */
  readonly #targets: string[] = [];
  readonly #inputs: string[] = [];
  #tenantId: string | null = null;
  #time: GroupTime | null = null;
  #bytes = 0;
  #state: "collecting" | "collected" = "collecting";
  #refusal: { readonly error: unknown } | null = null;

  /** Made by `memory.transaction`. */
  constructor(parts: TransactionParts, operationId: string | null) {
    this.#parts = parts;
    this.#operationId = operationId;
  }

  /**
   * Appends messages as a new turn, as `Conversation.append` does.
   *
   * @throws {ContractError} naming the call and the field, such as `calls[2].messages[0].role`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-7" };
   * await memory.transaction((transaction) => {
   *   transaction.append(scope, [{ role: "user", content: "Where is order 7?" }]);
   *   transaction.append(scope, [{ role: "assistant", content: "Held by customs." }]);
   * });
   * assert.equal((await memory.conversation(scope).snapshot()).turnCount, 2);
   * ```
   */
  append(
    scope: Scope,
    messages: NewMessages,
    options: WithinTransaction<AppendOptions> & { readonly onDuplicate: "skip" },
  ): PendingCall<AppendedOrSkipped>;
  /** Appends messages as a new turn, as above; a message whose id is there already is an error. */
  append(
    scope: Scope,
    messages: NewMessages,
    options?: WithinTransaction<AppendOptions> & { readonly onDuplicate?: "error" | undefined },
  ): PendingCall<Appended>;
  append(
    scope: Scope,
    messages: NewMessages,
    options: WithinTransaction<AppendOptions> = {},
  ): PendingCall<Appended | AppendedOrSkipped> {
    return this.#add((operationId): AddedCall => {
      const context = this.#context(scope);
      const given = readFields("options", options, [
        ...LIFETIME_NAMES,
        "timestamp",
        "metadata",
        "onDuplicate",
      ]);
      const plan = planAppend(context, messages, { ...given, operationId });
      const call: PlannedCall = {
        verb: "append",
        plan: { ...plan, operation: null },
        generation: this.#parts.engine.generation,
      };
      return {
        call,
        operation: plan.operation,
        bytes: plan.groupBytes,
        target: targetOf(context.place.scope),
      };
    });
  }

  /**
   * Writes a record if its revision is the expected one, as `Records.put` does.
   *
   * @throws {ContractError} naming the call and the field
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const [first, second] = await memory.transaction((transaction) => {
   *   const made = transaction.put(run, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
   *   return [made, transaction.put(run, { schema: 1, step: 1, items: [] }, { expectedRevision: made, ttl: 60 })];
   * });
   * assert.deepEqual([first, second, (await memory.records.get(run))?.value.step], [1, 2, 1]);
   * ```
   */
  put<Kind extends string>(
    identity: RecordIdentity<Kind>,
    value: RecordInput<Kind>,
    options: TransactionPutOptions<Kind>,
  ): PendingCall<number> {
    return this.#add((operationId): AddedCall => {
      const given = readFields("options", options, ["expectedRevision", ...LIFETIME_NAMES, "now", "maxAge"]);
      const after = this.#earlier(given.expectedRevision);
      const known = after === null ? given.expectedRevision : 1;
      const settled = { ...given, expectedRevision: known, operationId } as PutOptions;
      const plan = planPutOf(this.#parts.records, identity, value, settled);
      const { tenantId, kind, key } = plan.identity;
      this.#requireTenant(tenantId);
      const target = JSON.stringify(["record", tenantId, kind, key]);
      this.#requireEarlier(after, target);
      const call: PlannedCall = { verb: "put", plan: { ...plan, operation: null }, after };
      return { call, operation: plan.operation, bytes: plan.body.length, target };
    });
  }

  /**
   * Returns the calls on the records of one kind, typed by its schema, as `Records.of` does.
   *
   * @param kind one that was passed to `openMemory`
   * @throws {ContractError} `kind`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { defineKind, openMemory } from "@holdfast/memory";
   * import { z } from "zod";
   *
   * const budget = defineKind("budget", z.strictObject({ tokens: z.int() }));
   * await using memory = await openMemory(":memory:", { kinds: [budget] });
   * const review = { tenantId: "acme", key: "review-42" };
   * await memory.transaction((transaction) => {
   *   transaction.of(budget).put(review, { tokens: 500 }, { expectedRevision: null });
   * });
   * assert.equal((await memory.records.of(budget).get(review))?.value.tokens, 500);
   * ```
   */
  of<Value>(kind: RecordKind<Value>): TransactionKind<Value> {
    this.#parts.records.of(kind);
    return {
      put: (place, value, options) => {
        const { tenantId, key } = readFields("place", place, ["tenantId", "key"]);
        return this.put({ tenantId, kind: kind.name, key } as RecordIdentity, value, options);
      },
    };
  }

  /**
   * Stores a pin, as `Conversation.putPin` does, in the conversation of its scope.
   *
   * @throws {ContractError} naming the call and the field
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-7" };
   * await memory.transaction((transaction) => {
   *   const asked = transaction.append(scope, [{ role: "user", content: "Answer in Welsh." }]);
   *   const pin = { scope, key: "language", value: "Answer in Welsh.", origin: "user" };
   *   transaction.putPin(pin, { expectedRevision: asked });
   * });
   * assert.equal((await memory.conversation(scope).snapshot()).pins.length, 1);
   * ```
   */
  putPin(pin: PinInput, options: TransactionPinOptions): PendingCall<number> {
    return this.#add((operationId): AddedCall => {
      const given = readFields("options", options, ["expectedRevision", ...LIFETIME_NAMES]);
      const after = this.#earlier(given.expectedRevision);
      const known = after === null ? given.expectedRevision : 0;
      const context = this.#context(scopeOf("pin", pin));
      const target = targetOf(context.place.scope);
      this.#requireEarlier(after, target);
      const plan = planPutPin(context, pin, { ...given, expectedRevision: known, operationId });
      const call: PlannedCall = { verb: "putPin", plan: { ...plan, operation: null }, after };
      return { call, operation: plan.operation, bytes: plan.payload.length, target };
    });
  }

  /**
   * Stores a summary, as `Conversation.putSummary` does. Put it before the appends to its conversation: they make the
   * snapshot stale.
   *
   * @throws {ContractError} naming the call and the field
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory, summaryFromHistory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "trip-3" });
   * const { scope } = conversation;
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const snapshot = await conversation.snapshot();
   * const history = await Array.fromAsync(conversation.turns({ snapshot }));
   * const made = { content: "Flights: booked.", policyVersion: "by-hand-1", createdAt: snapshot.at };
   * await memory.transaction((transaction) => {
   *   transaction.putSummary(snapshot, summaryFromHistory({ scope, history, ...made }));
   *   transaction.append(scope, [{ role: "user", content: "Which hotel?" }]);
   * });
   * assert.equal((await conversation.snapshot()).summary?.content, "Flights: booked.");
   * ```
   */
  putSummary(
    snapshot: Snapshot,
    summary: Summary,
    options: WithinTransaction<PutSummaryOptions> = {},
  ): PendingCall<number> {
    return this.#add((operationId): AddedCall => {
      const given = readFields("options", options, [...LIFETIME_NAMES]);
      const context = this.#context(scopeOf("summary", summary));
      const plan = planPutSummary(context, snapshot, summary, { ...given, operationId });
      const call: PlannedCall = { verb: "putSummary", plan: { ...plan, operation: null } };
      return {
        call,
        operation: plan.operation,
        bytes: plan.payload.length,
        target: targetOf(context.place.scope),
      };
    });
  }

  /** Adds a call; one that is refused refuses the whole transaction, even where the caller catches the error. */
  #add<Result>(plan: (operationId: string) => AddedCall): PendingCall<Result> {
    if (this.#state !== "collecting") {
      throw new ContractError("transaction", "Cannot add a call: the transaction's function has returned");
    }
    const position = this.#calls.length;
    try {
      const { engine } = this.#parts;
      if (position >= TRANSACTION_CALLS_MAX) {
        throw new ContractError("calls", `Expected at most ${TRANSACTION_CALLS_MAX} calls in a transaction`, {
          details: { maximum: TRANSACTION_CALLS_MAX },
        });
      }
      // An id of its own makes the digest of a call's input, and the id of its turn.
      const own = this.#operationId === null
        ? randomIdentity()
        : toHex(keyedHash(engine.hashKey, ["transaction", this.#operationId, `${position}`]));
      const { call, operation, bytes, target } = plan(own);
      if (this.#calls.length !== position) {
        throw new ContractError("calls", "Cannot add a call while another one is validated");
      }
      this.#bytes += bytes;
      if (this.#bytes > TRANSACTION_BYTES_MAX) {
        throw new ContractError("calls", `Expected at most ${TRANSACTION_BYTES_MAX} bytes in a transaction`, {
          details: { maximum: TRANSACTION_BYTES_MAX, bytes: this.#bytes },
        });
      }
      this.#calls.push(call);
      this.#targets.push(target);
      this.#inputs.push(toHex(operation!.inputHash));
      return new PendingCall<Result>(this, position);
    } catch (error) {
      this.#refusal ??= { error: ofCall(position, error) };
      throw this.#refusal.error;
    }
  }

  #context(scope: unknown): Context {
    const { engine, limits } = this.#parts;
    const place = placeOf(engine.hashKey, toScope(scope));
    this.#requireTenant(place.scope.tenantId);
    this.#time ??= engine.time();
    return { place, epoch: engine.epoch, limits, time: this.#time };
  }

  #requireTenant(tenantId: string): void {
    this.#tenantId ??= tenantId;
    if (this.#tenantId === tenantId) return;
    throw new ContractError(
      "tenantId",
      "tenantId must be that of the other calls: a transaction is of one tenant, so use one for each",
    );
  }

  /** The position of the call that an expected revision refers to; null where it is a revision. */
  #earlier(expected: unknown): number | null {
    const position = positionOf(expected);
    return position === null || this.#isOwn(expected) ? position : -1;
  }

  #requireEarlier(after: number | null, target: string): void {
    if (after === null || this.#targets[after] === target) return;
    throw new ContractError(
      "expectedRevision",
      "Expected expectedRevision to be a revision, or an earlier call of this transaction on the same record or scope",
    );
  }

  async #run(collect: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const chosen = this.#collect(collect);
    const { engine } = this.#parts;
    const scopeHash = tenantHash(engine.hashKey, this.#tenantId!);
    const plan = { calls: this.#calls, operation: this.#operation(scopeHash), hashKey: engine.hashKey };
    const options = { bytes: this.#bytes, signal };
    let pending: Place | null = null;
    const write = (): Promise<readonly TransactionResult[]> =>
      engine.write(
        (transaction) =>
          RUNNING.module.runTransaction(transaction, plan, {
            onPending: (place) => pending = place,
            describe: ofCall,
          }),
        { ...options, needs: RUNNING.load() },
      );
    for (let round = 0;; round++) {
      try {
        pending = null;
        const results = await write();
        return chosen === null ? results : chosen.map((position) => results[position]);
      } catch (error) {
        if (pending === null || round >= UPKEEP_ROUNDS_MAX * TRANSACTION_CALLS_MAX) throw error;
      }
      await new ScopeAccess(engine, pending, () => {}).upkeep(signal);
    }
  }

  /** Runs the caller's function; returns the positions of the calls that it returned, or null for all in order. */
  #collect(collect: unknown): readonly number[] | null {
    let returned: unknown;
    try {
      returned = (collect as (transaction: Transaction) => unknown)(this);
    } finally {
      this.#state = "collected";
    }
    if (returned instanceof Promise) returned.catch(() => {});
    if (this.#refusal !== null) throw this.#refusal.error;
    if (this.#calls.length === 0) {
      throw new ContractError("calls", "Expected at least one call in a transaction");
    }
    if (returned === undefined || this.#isOwn(returned)) return null;
    if (!isRevoked(returned) && Array.isArray(returned)) {
      const chosen = requireList("collect", returned, TRANSACTION_CALLS_MAX);
      if (chosen.every((call) => this.#isOwn(call))) return chosen.map((call) => positionOf(call)!);
    }
    throw new ContractError(
      "collect",
      "Expected collect to return nothing, or a list of its calls: it must not be async, and cannot await results",
    );
  }

  #isOwn(call: unknown): boolean {
    return ownerOf(call) === this;
  }

  #operation(scopeHash: Uint8Array): OperationKey | null {
    if (this.#operationId === null) return null;
    const { hashKey } = this.#parts.engine;
    const tenant = toHex(scopeHash);
    return {
      scopeHash,
      operationHash: keyedHash(hashKey, ["operation", tenant, this.#operationId]),
      inputHash: keyedHash(hashKey, ["input", tenant, "transaction", ...this.#inputs]),
    };
  }
}

/** A call as it is added. */
interface AddedCall {
  readonly call: PlannedCall;
  /** The digest of its input. */
  readonly operation: OperationKey | null;
  readonly bytes: number;
  /** What it changes: a record or a scope. */
  readonly target: string;
}

/** The calls of a transaction on the records of one kind. */
export interface TransactionKind<Value> {
  /** Writes a record if its revision is the expected one, as {@linkcode Transaction.put} does. */
  put(place: RecordPlace, value: Value, options: TransactionPutOptions): PendingCall<number>;
}

// A deletion is recorded in the ledger before main commits, and stays recorded if the process dies in between.
for (const name of ["forget", "purge", "unpin", "delete", "clear", "rewind"]) {
  Object.defineProperty(Transaction.prototype, name, {
    value: (): never => {
      throw new ContractError(
        name,
        `Cannot ${name} in a transaction: a deletion outlives a crash that loses the writes next to it, so make it a call of its own`,
      );
    },
  });
}

/** Runs a transaction: the function collects its calls, which are then written in one commit. */
export async function transact(
  parts: TransactionParts,
  collect: unknown,
  options: TransactionOptions,
): Promise<unknown> {
  if (!isFunction(collect)) throw new ContractError("collect", "Expected collect to be a function");
  const given = readFields("options", options, ["operationId", "signal"]);
  const operationId = given.operationId === undefined
    ? null
    : requireText("operationId", given.operationId, OPERATION_ID_CODE_POINTS_MAX);
  return await run(new Transaction(parts, operationId), collect, requireSignal(given.signal));
}

/** The scope of a pin or summary, which the plan validates in full. */
function scopeOf(field: string, value: unknown): unknown {
  const descriptor = typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, "scope")
    : undefined;
  if (descriptor !== undefined && "value" in descriptor) return descriptor.value;
  throw new ContractError(`${field}.scope`, `Expected ${field}.scope to be a scope`);
}

function targetOf({ tenantId, sessionId }: Scope): string {
  return JSON.stringify(["scope", tenantId, sessionId]);
}

/** An error as one of the call at a position, which it names. */
function ofCall(position: number, error: unknown): unknown {
  const place = `calls[${position}]`;
  if (error instanceof ContractError) {
    const { field, ...details } = error.details;
    const path = error.field === "calls" ? "calls" : `${place}.${field}`;
    return new ContractError(path, `${place}: ${error.message}`, {
      details: { ...details, call: position },
      cause: error,
    });
  }
  if (error instanceof ConflictError) {
    const { currentRevision } = error;
    const details = { ...error.details, call: position };
    const known = currentRevision === undefined ? {} : { currentRevision };
    return new ConflictError(error.reason, `${place}: ${error.message}`, { ...known, details, cause: error });
  }
  if (error instanceof KindError) {
    return new KindError(`${place}: ${error.message}`, error, {
      details: { ...error.details, call: position },
      cause: error,
    });
  }
  return error;
}
