import type { Json } from "../canonical/plain.ts";
import { monotonicMs } from "../clock.ts";
import {
  readFields,
  requireBoolean,
  requireDamaged,
  requireInteger,
  requireSignal,
  requireText,
} from "../contracts/arguments.ts";
import type {
  Appended,
  AppendedOrSkipped,
  AppendOptions,
  CachePutOptions,
  CallOptions,
  PutPinOptions,
  PutSummaryOptions,
  PutTurnOptions,
} from "../contracts/options/conversation_options.ts";
import type { Budget, Retrieval } from "../context/configuration.ts";
import type { DamagedRow, Skipping } from "../contracts/damaged.ts";
import type { EmitEvent } from "../contracts/options/memory_options.ts";
import { type Message, toMessages } from "../contracts/message.ts";
import type { NewMessages } from "../contracts/new_message.ts";
import type { PinInput } from "../contracts/pin.ts";
import type { DeleteOptions, DeleteTarget, Receipt, UnpinOptions } from "../contracts/options/receipt.ts";
import type { Session, SessionChanges } from "../contracts/options/session_options.ts";
import type { Scope } from "../contracts/scope.ts";
import type { Summary } from "../contracts/summary.ts";
import type { TimedTurn, TurnInput } from "../contracts/turn.ts";
import type { Damage } from "../engine/damage.ts";
import type { Engine } from "../engine/engine.ts";
import type { ReadTransaction } from "../engine/operation.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { LateModule, validateLate } from "../contracts/late_module.ts";
import { TURNS_PER_PAGE } from "../limits.ts";
import type { ChunkIndex } from "../index/chunk_index.ts";
import type { Hits } from "../search/evidence_source.ts";
import type {
  AssembleMessagesOptions,
  AssembleOptions,
  Assembly,
  IndexBatchOptions,
  MessagesAssembly,
  SearchOptions,
} from "./context_options.ts";
import { type Place, placeOf } from "../scopes/place.ts";
import {
  type Context,
  planDelete,
  planPutPin,
  planPutSummary,
  planReplay,
  planUnpin,
  requireReplayKey,
} from "./plans.ts";
import { requireRef } from "../media/given_media.ts";
import { planAppend, planPutTurn } from "./turn_plans.ts";
import type { DeletePlan } from "./delete_item.ts";
import type { ScopeLimits } from "./put_turn.ts";
import { CALLS, ScopeAccess } from "./scope_access.ts";
import { requireSame, requireSnapshot, type Snapshot } from "../contracts/snapshot.ts";
import type { IndexProgress } from "../index/index_progress.ts";
import type { StoreAccess } from "../scopes/store_access.ts";
import type { TurnsOptions } from "./turns_options.ts";

const SESSIONS = new LateModule(() => import("../sessions/session_calls.ts"));
const CONTEXTS = new LateModule(() => import("./contexts.ts"));

// Arguments are validated, copied and hashed when a call is made; what runs in the store is loaded by the first call.

/**
 * One scope's turns, pins, summary and response cache. Get one from `memory.conversation(scope)`; it holds nothing itself, so
 * any number may stand for one scope, in one process or in many.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
 * await conversation.append([{ role: "user", content: "Which flights were booked?" }]);
 * await conversation.append([{ role: "assistant", content: "The flights, in March." }]);
 * const snapshot = await conversation.snapshot();
 * assert.equal(snapshot.turnCount, 2);
 * for await (const turn of conversation.turns({ snapshot, last: 1 })) {
 *   assert.equal(turn.messages[0]?.content, "The flights, in March.");
 * }
 * ```
 */
export class Conversation {
  /** Whose conversation it is. */
  readonly scope: Scope;
  readonly #engine: Engine;
  readonly #place: Place;
  readonly #access: StoreAccess;
  readonly #limits: ScopeLimits;
  readonly #emit: EmitEvent;

  /** Made by `memory.conversation`. */
  constructor(
    engine: Engine,
    scope: Scope,
    parts: { readonly limits: ScopeLimits; readonly emit: EmitEvent },
  ) {
    this.scope = scope;
    this.#engine = engine;
    this.#place = placeOf(engine.hashKey, scope);
    this.#access = new ScopeAccess(engine, this.#place, parts.emit);
    this.#limits = parts.limits;
    this.#emit = parts.emit;
  }

  /**
   * Makes the scope, unless it is there.
   *
   * @returns the scope's revision
   * @throws {ConflictError} `DELETED`
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `PERMISSION`, `REPLACED`, `RESTORE`, `CORRUPT`, `CLOSED`
   * @throws {IntegrityError} if what the call reads is damaged, or store and ledger do not belong together
   * @throws the signal's reason, if it aborts before the call is committed
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * assert.equal(await conversation.create(), await conversation.create()); // a second time changes nothing
   * ```
   */
  async create(options: CallOptions = {}): Promise<number> {
    const signal = readSignal(options);
    const { generation } = this.#engine;
    const { revision } = await this.#access.write(
      (transaction) => CALLS.module.ensureScope(transaction, this.#place, generation),
      { signal },
    );
    return revision;
  }

  /**
   * The scope's revision, which moves with every change.
   *
   * @throws {ConflictError} `MISSING`, `DELETED`
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const before = await conversation.revision();
   * await conversation.append([{ role: "user", content: "The plums were not." }]);
   * assert.equal(await conversation.revision(), before + 1);
   * ```
   */
  async revision(options: CallOptions = {}): Promise<number> {
    const signal = readSignal(options);
    const { row } = await this.#access.readUpkept(
      (transaction) => CALLS.module.readRevision(transaction, this.#place),
      signal,
    );
    return row.revision;
  }

  /**
   * Stores a turn: a new one at the end, or the next revision of one that is there, in its place. What derived from the
   * old revision goes with it. A turn without a revision becomes the next one. A new turn without a timestamp gets the
   * store's time; a revision without one keeps the turn's time.
   *
   * @returns the scope's new revision: one more, and one for each pin that cited the old revision
   * @throws {ContractError} naming the field, such as `turn.messages[1].toolCallId`
   * @throws {ConflictError} `REVISION` (of the scope, or the turn's own), `DELETED`, `MISSING`, `IDEMPOTENCY`,
   * `CAPACITY`; `CLOCK` where `expiresAt` lies after the clock but not after the highest time seen
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const question = { messageId: "message-1", role: "user", content: "Which flight was booked?" } as const;
   * const first = { turnId: "turn-1", scope: conversation.scope, messages: [question], revision: 1 };
   * const revision = await conversation.putTurn(first, { operationId: "op-1", expectedRevision: await conversation.create() });
   * const messages = [{ ...question, content: "Which flights were booked?" }];
   * await conversation.putTurn({ ...first, messages, revision: 2 }, { operationId: "op-2", expectedRevision: revision });
   * const [now] = await Array.fromAsync(conversation.turns());
   * assert.equal(now?.messages[0]?.content, "Which flights were booked?");
   * ```
   */
  async putTurn(turn: TurnInput, options: PutTurnOptions): Promise<number> {
    const plan = planPutTurn(this.#context(), turn, options);
    return await this.#access.write((transaction) => CALLS.module.putTurn(transaction, plan), {
      bytes: plan.groupBytes,
      signal: requireSignal(options.signal),
    });
  }

  /**
   * Stores a pin: a keyed fact that every context carries while it is active.
   *
   * @returns the scope's new revision
   * @throws {ContractError} naming the field; a source that is not exactly in its turn
   * @throws {ConflictError} `REVISION` (of the scope, or the pin's own), `DELETED`, `MISSING`, `CAPACITY`,
   * `IDEMPOTENCY`, `CLOCK` as `putTurn`
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const language = { scope: conversation.scope, key: "language", value: "Answer in Welsh.", origin: "settings" };
   * await conversation.putPin(language, { expectedRevision: await conversation.create() });
   * const { context } = await conversation.assemble("Is it dry?", {}, { system: "Answer." });
   * assert(context.blocks.find(({ kind }) => kind === "pinned")?.content.includes("Welsh"));
   * ```
   */
  async putPin(pin: PinInput, options: PutPinOptions): Promise<number> {
    const plan = planPutPin(this.#context(), pin, options);
    return await this.#access.write((transaction) => CALLS.module.putPin(transaction, plan), {
      bytes: plan.payload.length,
      signal: requireSignal(options.signal),
    });
  }

  /**
   * Stores a summary in place of the one before, if it is of turns exactly as they are at the snapshot.
   *
   * @returns the scope's new revision; the snapshot is stale afterwards
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `SNAPSHOT`, `MISSING`, `DELETED`, `IDEMPOTENCY`, `CLOCK` as `putTurn`
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory, summaryFromHistory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const snapshot = await conversation.snapshot();
   * const history = await Array.fromAsync(conversation.turns({ snapshot }));
   * const made = { content: "Flights: booked.", policyVersion: "by-hand-1", createdAt: snapshot.at };
   * await conversation.putSummary(snapshot, summaryFromHistory({ scope: conversation.scope, history, ...made }));
   * assert.equal((await conversation.snapshot()).summary?.content, "Flights: booked.");
   * ```
   */
  async putSummary(snapshot: Snapshot, summary: Summary, options: PutSummaryOptions = {}): Promise<number> {
    const plan = planPutSummary(this.#context(), snapshot, summary, options);
    return await this.#access.write((transaction) => CALLS.module.putSummary(transaction, plan), {
      bytes: plan.payload.length,
      signal: requireSignal(options.signal),
    });
  }

  /**
   * Stores messages as a new turn: makes the scope if it is missing, the turn's id, and missing message ids. It takes
   * whatever revision the scope has. Append each step of a loop as it comes: a call may be answered by a later turn.
   * With `onDuplicate: "skip"` a client may send its whole history again:
   * messages whose ids are there, or were deleted, are left out.
   *
   * @throws {ContractError} naming the field, such as `messages[0].role`
   * @throws {ConflictError} `DELETED` (the scope, or a message that went with its turn), `IDEMPOTENCY`, `CAPACITY`,
   * `CLOCK` as `putTurn`; `REVISION` only where an operation id was forgotten but its turn is still there
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "deployment-7" });
   * const ask = { messageId: "u1", role: "user", content: "Why did the build fail?" } as const;
   * const call = { id: "call_0", name: "run", arguments: { cmd: "deno test" } };
   * await conversation.append([ask, { messageId: "a1", role: "assistant", content: null, toolCalls: [call] }]);
   * await conversation.append([{ role: "tool", toolCallId: "call_0", content: "1 failed", isError: true }]);
   * const again = await conversation.append([ask], { onDuplicate: "skip" });
   * assert.deepEqual([again.turnId, again.skipped], [null, ["u1"]]);
   * ```
   */
  append(
    messages: NewMessages,
    options: AppendOptions & { readonly onDuplicate: "skip" },
  ): Promise<AppendedOrSkipped>;
  /** Stores messages as a new turn, as above; a message whose id is there already is an error. */
  append(
    messages: NewMessages,
    options?: AppendOptions & { readonly onDuplicate?: "error" | undefined },
  ): Promise<Appended>;
  /** Stores messages as a new turn, as above. */
  append(
    messages: NewMessages,
    options?: AppendOptions,
  ): Promise<Appended | AppendedOrSkipped>;
  async append(
    messages: NewMessages,
    options: AppendOptions = {},
  ): Promise<Appended | AppendedOrSkipped> {
    const plan = planAppend(this.#context(), messages, options);
    const { generation } = this.#engine;
    const { revision, turnId, skipped } = await this.#access.write(
      (transaction) => CALLS.module.appendTurn(transaction, plan, generation),
      { bytes: plan.groupBytes, signal: requireSignal(options.signal) },
    );
    return plan.skipsDuplicates ? { revision, turnId, skipped } : { revision, turnId: plan.turnId };
  }

  /**
   * What the scope is now: its revision, its active pins, its summary, and how many turns it has. The turns themselves
   * are not read.
   *
   * @throws {ConflictError} `MISSING`, `DELETED`
   * @throws {IntegrityError} if what is read is damaged; `details` names the row
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const { turnCount, summary, revision } = await conversation.snapshot();
   * assert.deepEqual([turnCount, summary], [1, null]);
   * assert.equal(revision, await conversation.revision());
   * ```
   */
  async snapshot(options: CallOptions = {}): Promise<Snapshot> {
    return await this.#snapshot(readSignal(options));
  }

  async #snapshot(signal: AbortSignal | undefined, damage?: Damage): Promise<Snapshot> {
    const { snapshot } = await this.#access.readUpkept(
      (transaction, moment) => CALLS.module.takeSnapshot(transaction, this.#place, { ...moment, damage }),
      signal,
    );
    return snapshot;
  }

  /**
   * The turns, oldest first, read in pages: other calls run in between. If the scope changes meanwhile, it ends with
   * `SNAPSHOT`. With `damaged: "skip"` it leaves damaged turns out, and `skipped` lists them once it has ended.
   *
   * @throws {ContractError} naming the option
   * @throws {ConflictError} `SNAPSHOT`, `MISSING`, `DELETED`
   * @throws {IntegrityError} if a turn is damaged; `details` has its `tenantId`, `sessionId` and `turnId`
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const said: string[] = [];
   * for await (const { messages } of conversation.turns()) said.push(...messages.map(({ content }) => content));
   * assert.deepEqual(said, ["The flights were booked in March."]);
   * const page = conversation.turns({ from: 0, limit: 20 }); // places count from 0
   * assert.equal((await Array.fromAsync(page)).length, 1);
   * const turns = conversation.turns({ last: 8, damaged: "skip" });
   * assert.equal((await Array.fromAsync(turns)).length, 1);
   * assert.deepEqual(turns.skipped, []);
   * ```
   */
  turns(options: TurnsOptions = {}): Skipping<TimedTurn> {
    const skipped: DamagedRow[] = [];
    return Object.assign(this.#turns(options, skipped), { skipped });
  }

  async *#turns(options: TurnsOptions, skipped: DamagedRow[]): AsyncGenerator<TimedTurn, void> {
    const given = readFields("options", options, TURNS_NAMES);
    const { snapshot } = given;
    const damaged = requireDamaged(given.damaged);
    const signal = requireSignal(given.signal);
    const range = {
      last: wholeOrNull("last", given.last),
      from: wholeOrNull("from", given.from),
      after: textOrNull("after", given.after),
      before: textOrNull("before", given.before),
    };
    if (range.last !== null && range.from !== null) {
      throw new ContractError("from", "Expected from to be absent where last is given");
    }
    let left = wholeOrNull("limit", given.limit) ?? Infinity;
    const known = snapshot === undefined ? null : requireSnapshot(snapshot, this.scope);
    await CALLS.load();
    const damage = new CALLS.module.Damage(damaged, skipped);
    const of = known ?? await this.#snapshot(signal, damage);
    const { epoch } = this.#engine;
    const plan = (transaction: ReadTransaction) => ({
      place: this.#place,
      epoch,
      snapshot: of,
      limit: TURNS_PER_PAGE,
      damage,
      atMs: transaction.time().effectiveMs,
    });
    const rows = Object.values(range).every((each) => each === null) ? EVERY_ROW : await this.#access.read(
      (transaction) => CALLS.module.rowsOfTurns(transaction, plan(transaction), range),
      signal,
    );
    for (let after: number | null = rows.after; after !== null && left > 0;) {
      const from: typeof EVERY_ROW = { ...rows, after };
      const page = await this.#access.read(
        (transaction) => CALLS.module.readTurnPage(transaction, plan(transaction), from),
        signal,
      );
      for (const { turn } of page.turns) {
        yield turn;
        if (--left === 0) return;
        // What was deleted while the caller held this turn must not follow it out of the page.
        await this.#requireRevision(of.revision, signal);
      }
      after = page.after;
    }
  }

  /**
   * One turn by its id; null if it is not there: never stored, deleted, or expired.
   *
   * @throws {ContractError} `turnId`
   * @throws {ConflictError} `MISSING` (the scope), `DELETED`
   * @throws {IntegrityError} if the turn is damaged; `details` names it
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const { turnId } = await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * assert.equal((await conversation.turn(turnId))?.messages[0]?.content, "The flights were booked in March.");
   * assert.equal(await conversation.turn("turn-2"), null);
   * ```
   */
  async turn(turnId: string, options: CallOptions = {}): Promise<TimedTurn | null> {
    const id = requireText("turnId", turnId, Number.MAX_SAFE_INTEGER);
    const { turn } = await this.#access.readUpkept(
      (transaction, { atMs }) => CALLS.module.readTurn(transaction, this.#place, { turnId: id, atMs }),
      readSignal(options),
    );
    return turn;
  }

  /**
   * The bytes of media that a message of this conversation refers to, verified by their hash. Messages are read back with
   * a reference in place of bytes, whatever their size.
   *
   * @param ref `ref` of a media part: 64 lower-case hex digits
   * @throws {ContractError} `ref`
   * @throws {ConflictError} `MISSING` if no message refers to it, or not any more; `DELETED`
   * @throws {IntegrityError} if the bytes are damaged; `details` names the turn
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const data = new Uint8Array([137, 80, 78, 71]);
   * await conversation.append([{ role: "user", content: [{ type: "media", mediaType: "image/png", data }] }]);
   * const [turn] = await Array.fromAsync(conversation.turns());
   * const [image] = turn!.messages[0]!.parts!;
   * assert(image?.type === "media" && image.ref !== undefined);
   * assert.deepEqual(await conversation.media(image.ref), data);
   * ```
   */
  async media(ref: string, options: CallOptions = {}): Promise<Uint8Array> {
    const given = requireRef(ref);
    const signal = readSignal(options);
    await CALLS.load();
    return await CALLS.module.readMedia(this.#access, given, signal);
  }

  /**
   * Messages with the bytes of their media in place of references: what a model is sent. Other parts stay as they are.
   *
   * @throws {ConflictError} `MISSING`, `DELETED` as `media`
   * @throws {IntegrityError} as `media`
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   * import { openaiChat } from "@holdfast/memory/formats";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } };
   * await conversation.append(openaiChat.parse([{ role: "user", content: [image] }]));
   * const [turn] = await Array.fromAsync(conversation.turns());
   * const request = openaiChat.write(await conversation.withMedia(turn!.messages));
   * assert.deepEqual(request[0]?.content, [image]);
   * ```
   */
  async withMedia(messages: readonly Message[], options: CallOptions = {}): Promise<readonly Message[]> {
    const signal = readSignal(options);
    const given = toMessages(messages);
    await CALLS.load();
    return await CALLS.module.filledIn(this.#access, given, signal);
  }

  async #requireRevision(expected: number, signal: AbortSignal | undefined): Promise<void> {
    const { readScope, requireScope } = CALLS.module;
    const row = this.#engine.peek?.((transaction) => readScope(transaction, this.#place.scopeHash)) ??
      await this.#access.read((transaction) => requireScope(transaction, this.#place), signal);
    if (row.revision === expected) return;
    throw new ConflictError("SNAPSHOT", "The scope has changed while its turns were read", {
      currentRevision: row.revision,
    });
  }

  /**
   * Requires that nothing that counts has changed since the snapshot.
   *
   * @returns a fresh snapshot
   * @throws {ConflictError} `SNAPSHOT`, `MISSING`, `DELETED`
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const snapshot = await conversation.snapshot();
   * await conversation.assertCurrent(snapshot);
   * await conversation.append([{ role: "user", content: "The plums were not." }]);
   * await assert.rejects(conversation.assertCurrent(snapshot), { code: "CONFLICT", reason: "SNAPSHOT" });
   * ```
   */
  async assertCurrent(snapshot: Snapshot, options: CallOptions = {}): Promise<Snapshot> {
    const signal = readSignal(options);
    const of = requireSnapshot(snapshot, this.scope);
    const { snapshot: now } = await this.#access.readUpkept(
      (transaction, moment) => CALLS.module.takeSnapshot(transaction, this.#place, moment),
      signal,
    );
    requireSame(now, of);
    return now;
  }

  /**
   * Says what a session is for lists: a title, metadata, and whose data it is. Makes the session, unless it is there. Neither
   * its revision nor its cached responses change. With nothing to change, it reads what is said.
   *
   * A subject that is given when the session is made costs nothing; one that is set or changed later is an event of the
   * ledger, so that an erasure and a restore of an older backup know it.
   *
   * @returns the session as `memory.sessions` lists it
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `DELETED`; `MISSING` where there is nothing to change and no session
   * @throws {IntegrityError} if what is said is damaged
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.describe({ title: "Flights", subject: "gwen@example.org" });
   * const { title, subject, turns } = await conversation.describe({ title: "Flights in March" });
   * assert.deepEqual([title, subject, turns], ["Flights in March", "gwen@example.org", 0]);
   * ```
   */
  async describe(changes: SessionChanges = {}, options: CallOptions = {}): Promise<Session> {
    const signal = readSignal(options);
    const validated = await validateLate(
      SESSIONS,
      [changes],
      ({ validateChanges }, given) => validateChanges(...given),
    );
    const { describeSession, labelSession, readDescribed, sessionOf } = SESSIONS.module;
    const { generation, hashKey } = this.#engine;
    const plan = { place: this.#place, generation, changes: validated };
    if (Object.keys(validated).length === 0) {
      const read = await this.#access.read((transaction) => readDescribed(transaction, this.#place), signal);
      return sessionOf(hashKey, read.row, read.description);
    }
    const said = await this.#access.write((transaction) => describeSession(transaction, plan), { signal });
    const { row, description } = said.isOthers
      ? await this.#access.write((transaction) => labelSession(transaction, plan), { ledger: true, signal })
      : said;
    return sessionOf(hashKey, row, description);
  }

  /**
   * Deletes the scope, a turn or a pin for ever: its identifier can never be used again, and no restore brings it back.
   * Everything derived from it is deleted too. It is safe to repeat, and then returns the receipt of the first deletion.
   *
   * @returns a receipt; keep it to prove the deletion later
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `REVISION`, `MISSING`, `DELETED`, `IDEMPOTENCY`
   * @throws {StorageError} as `create`; with `details.recorded` the deletion is irrevocable and will be completed
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const { turnId, revision } = await conversation.append([{ role: "user", content: "My door code is 4711." }]);
   * const receipt = await conversation.delete({ kind: "turn", key: turnId, expectedRevision: revision }, { scrub: true });
   * assert.deepEqual([receipt.erased.turns, receipt.scrubbed], [1, true]);
   * assert.equal((await memory.verifyReceipt(receipt)).valid, true);
   * ```
   */
  async delete(target: DeleteTarget, options: DeleteOptions = {}): Promise<Receipt> {
    const given = readFields("options", options, ["scrub", "operationId", "signal"]);
    return await this.#erase(planDelete(this.#context(), target, given.operationId), given);
  }

  /**
   * Takes a pin off: it is in no context any more, no restore or import brings it back, and its key can be pinned again,
   * with the next revision. `delete` reserves the key for ever.
   *
   * @returns the receipt, whose `reserved` is false; valid while no revision from before is there
   * @throws {ContractError} `key`, or naming the option
   * @throws {ConflictError} `MISSING` (the scope, or the pin), `DELETED` (the scope, or the pin's key), `REVISION` (of the
   * scope, if one is expected), `IDEMPOTENCY`
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const language = { scope: conversation.scope, key: "language", value: "Answer in Welsh.", origin: "settings" };
   * await conversation.putPin(language, { expectedRevision: await conversation.create() });
   * const receipt = await conversation.unpin("language");
   * assert.deepEqual([receipt.reserved, (await conversation.snapshot()).pins], [false, []]);
   * await conversation.putPin({ ...language, value: "Answer in Breton." }, { expectedRevision: await conversation.revision() });
   * assert.equal((await memory.verifyReceipt(receipt)).valid, true);
   * ```
   */
  async unpin(key: string, options: UnpinOptions = {}): Promise<Receipt> {
    const given = readFields("options", options, ["expectedRevision", "scrub", "operationId", "signal"]);
    return await this.#erase(planUnpin(this.#context(), key, given), given);
  }

  async #erase(
    plan: DeletePlan,
    given: { readonly scrub?: unknown; readonly signal?: unknown },
  ): Promise<Receipt> {
    const signal = requireSignal(given.signal);
    const wanted = given.scrub === undefined ? false : requireBoolean("scrub", given.scrub);
    const startedMs = monotonicMs();
    const deleted = await this.#access.write((transaction) => CALLS.module.deleteItem(transaction, plan), {
      ledger: true,
      signal,
    });
    if (deleted.when === "now") this.#emit({ operation: "delete", counts: { ...deleted.erased } }, startedMs);
    if (deleted.when === "before" || deleted.isDraining) await this.#drain(signal);
    const scrubbed = wanted &&
      await (await import("../deletion/scrub.ts")).tryScrub(this.#engine, signal);
    const { lineage } = this.#engine;
    return CALLS.module.receiptOf(plan, deleted, { lineage, reserved: plan.reserved, scrubbed });
  }

  /** A deletion that has committed never fails because an index could not be drained: then prune does it. */
  async #drain(signal: AbortSignal | undefined): Promise<void> {
    try {
      await CALLS.module.drainScope(this.#engine, this.#place.scopeHash, signal);
    } catch {
      return;
    }
  }

  /**
   * Keeps an answer for exactly this snapshot. Where the scope has a hundred, expired ones go first, then the oldest.
   *
   * @throws {ContractError} naming the field; a payload that is no JSON object, or too large
   * @throws {ConflictError} `SNAPSHOT`, `MISSING`, `DELETED`, `CLOCK`
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const snapshot = await conversation.snapshot();
   * await conversation.cachePut(snapshot, "weather", { dry: true });
   * await conversation.append([{ role: "user", content: "It rains." }]);
   * await assert.rejects(conversation.cacheGet(snapshot, "weather"), { code: "CONFLICT", reason: "SNAPSHOT" });
   * ```
   */
  async cachePut(
    snapshot: Snapshot,
    key: string,
    payload: Json,
    options: CachePutOptions = {},
  ): Promise<void> {
    const plan = planReplay(this.#context(), snapshot, key, payload, options);
    return await this.#access.write((transaction) => CALLS.module.putReplay(transaction, plan), {
      bytes: plan.payload.length,
      signal: requireSignal(options.signal),
    });
  }

  /**
   * The answer that was kept for exactly this snapshot.
   *
   * @returns null if there is none, or it has expired
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `SNAPSHOT`, `MISSING`, `DELETED`
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const snapshot = await conversation.snapshot();
   * assert.equal(await conversation.cacheGet(snapshot, "weather"), null);
   * await conversation.cachePut(snapshot, "weather", { dry: true });
   * assert.deepEqual(await conversation.cacheGet(snapshot, "weather"), { dry: true });
   * ```
   */
  async cacheGet(snapshot: Snapshot, key: string, options: CallOptions = {}): Promise<Json | null> {
    const signal = readSignal(options);
    const name = requireReplayKey(key);
    const of = requireSnapshot(snapshot, this.scope);
    const { epoch } = this.#engine;
    const place = this.#place;
    return await this.#access.read((transaction) => {
      const plan = { place, epoch, snapshot: of, key: name, atMs: transaction.time().effectiveMs };
      return CALLS.module.getReplay(transaction, plan);
    }, signal);
  }

  /**
   * Indexes turns that are not indexed yet, in order, up to a number. Each call is one transaction: progress survives,
   * and turns that did not change are not looked at again. The scope's revision and snapshots stay as they are. Two
   * indexes of a scope coexist; a third takes the place of the one that was used longest ago.
   *
   * @param config only chunk size and overlap make one index another; with the profile's analyzer
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `SNAPSHOT`, `MISSING`, `DELETED`, `CAPACITY`
   * @throws {IntegrityError} if a turn or the index is damaged
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const { status, processed, remaining } = await conversation.indexBatch(await conversation.snapshot());
   * assert.deepEqual([status, processed, remaining], ["READY", 1, 0]);
   * ```
   */
  async indexBatch(
    snapshot: Snapshot,
    config: Retrieval = {},
    options: IndexBatchOptions = {},
  ): Promise<IndexProgress> {
    const validated = await validateLate(
      CONTEXTS,
      [config, options],
      ({ validateBatch }, given) => validateBatch(...given),
    );
    const of = requireSnapshot(snapshot, this.scope);
    return await CONTEXTS.module.indexBatch(this.#access, of, validated);
  }

  /**
   * The chunks of exactly this snapshot's history, for `assembleContext`.
   *
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `NOT_READY` where the index is not complete; `SNAPSHOT`, `MISSING`, `DELETED`
   * @throws {IntegrityError} where the index is not what the turns give
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { assembleContext, openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const snapshot = await conversation.snapshot();
   * await conversation.indexBatch(snapshot);
   * const history = await Array.fromAsync(conversation.turns({ snapshot }));
   * const input = { scope: conversation.scope, history, question: "When?", system: "Answer.", at: snapshot.at };
   * const chunkIndex = await conversation.chunkIndex(snapshot);
   * const { request } = await assembleContext({ ...input, chunkIndex });
   * assert.deepEqual(request, (await assembleContext(input)).request);
   * ```
   */
  async chunkIndex(
    snapshot: Snapshot,
    config: Retrieval = {},
    options: CallOptions = {},
  ): Promise<ChunkIndex> {
    const signal = readSignal(options);
    const size = await validateLate(CONTEXTS, [config], ({ toRetrieval }, given) => toRetrieval(...given));
    const of = requireSnapshot(snapshot, this.scope);
    return await CONTEXTS.module.readChunkIndex(this.#access, of, { size, signal });
  }

  /**
   * Searches the whole history as the retrieval of an assembly does; returns the chunks that answer the query, best first.
   * Indexes first what is not indexed yet. A scope that is not there has nothing to find, and is not created. With
   * `damaged: "skip"` it finds what it would without the damaged turns that it meets, and lists them as `skipped`.
   *
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `SNAPSHOT` where the scope keeps changing; `NOT_READY` where the store is read-only and the
   * index not complete; `DELETED`, `CAPACITY`
   * @throws {IntegrityError} if what is read is damaged; `details` names the row
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * await conversation.append([{ role: "user", content: "The plums were not." }]);
   * const [best] = await conversation.search("Which flights did we book?");
   * assert.equal(best?.content, "The flights were booked in March.");
   * assert.equal(best?.source.scope.sessionId, "ticket-4711");
   * ```
   */
  async search(query: string, options: SearchOptions = {}): Promise<Hits> {
    const validated = await validateLate(
      CONTEXTS,
      [query, options],
      ({ validateSearch }, given) => validateSearch(...given),
    );
    return await CONTEXTS.module.searchStored(this.#access, validated);
  }

  /**
   * Assembles a context that fits a token budget from this scope: the same request as `assembleContext` makes for the
   * whole history, but no more of it is read than is needed. Indexes first what is not indexed yet, where evidence
   * is looked for. The snapshot was still current when the context was finished; where the scope changes meanwhile, it
   * starts over. A scope that is not there counts as an empty history, and is not created. With `damaged: "skip"` the
   * context is what it would be without the damaged turns, pins and summary that it meets; they are listed as `skipped`.
   *
   * @throws {ContractError} naming the field, such as `question` where it is blank (the reference profile takes it);
   * nothing is indexed before all arguments are good
   * @throws {ConflictError} as `search`
   * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE`, `LAYER_ALLOCATION` or `CAP_BUDGET`, with the counts
   * @throws {PolicyError} if the token counter throws, or returns something else than a count
   * @throws {IntegrityError} if what is read is damaged; `details` names the row
   * @throws {StorageError} as `create`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * await conversation.append([{ role: "user", content: "The flights were booked in March." }]);
   * const options = { system: "Answer from the notes." };
   * const { context } = await conversation.assemble("What was booked?", { maxInputTokens: 900 }, options);
   * assert(context.request.messages.some(({ content }) => content.includes("flights")));
   * assert(context.diagnostics.estimate.estimatedTokens <= 900);
   * ```
   */
  assemble(question: string | Message, budget: Budget, options: AssembleOptions): Promise<Assembly>;
  /**
   * Assembles a context in messages, as models take them: system text, pins, a summary, then the newest turns with their
   * roles, calls and results, evidence just before the last message of the user, and the question. Where the question is
   * null, the newest message is what is to be answered, as in the middle of a loop of tools. A call always has its result:
   * an open one a text that says so. Never empty where one message fits shortened; what the newest turns lost is in
   * `diagnostics.degraded`. The window starts where the last one did as long as that fits, for the sake of prompt caches.
   *
   * @throws as above
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   * import { anthropicMessages } from "@holdfast/memory/formats";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
   * const toolCalls = [{ id: "c1", name: "track", arguments: { order: 7 } }];
   * await conversation.append([{ role: "user", content: "Where is order 7?" }]);
   * await conversation.append([{ role: "assistant", content: null, toolCalls }]);
   * await conversation.append([{ role: "tool", toolCallId: "c1", content: "At customs." }]);
   * const options = { form: "messages", system: "You track orders." } as const;
   * const { context } = await conversation.assemble(null, { maxInputTokens: 900 }, options);
   * assert.deepEqual(context.request.messages.map(({ role }) => role), ["system", "user", "assistant", "tool"]);
   * assert.equal(context.write(anthropicMessages).messages.length, 3);
   * ```
   */
  assemble(
    question: string | Message | null,
    budget: Budget,
    options: AssembleMessagesOptions,
  ): Promise<MessagesAssembly>;
  async assemble(
    question: string | Message | null,
    budget: Budget,
    options: AssembleOptions | AssembleMessagesOptions,
  ): Promise<Assembly | MessagesAssembly> {
    const validated = await validateLate(
      CONTEXTS,
      [question, budget, options],
      ({ validateAssembly }, given) => validateAssembly(...given),
    );
    return await CONTEXTS.module.assembleStored(this.#access, validated);
  }

  #context(): Context {
    const { epoch } = this.#engine;
    return { place: this.#place, epoch, limits: this.#limits, time: this.#engine.time() };
  }
}

const TURNS_NAMES = ["snapshot", "last", "after", "before", "from", "limit", "damaged", "signal"] as const;

const EVERY_ROW: { readonly after: number; readonly before: number } = {
  after: 0,
  before: Number.MAX_SAFE_INTEGER,
};

function wholeOrNull(field: string, value: unknown): number | null {
  return value === undefined ? null : requireInteger(field, value, 0, Number.MAX_SAFE_INTEGER);
}

function textOrNull(field: string, value: unknown): string | null {
  return value === undefined ? null : requireText(field, value, Number.MAX_SAFE_INTEGER);
}

function readSignal(options: CallOptions): AbortSignal | undefined {
  return requireSignal(readFields("options", options, ["signal"]).signal);
}
