/** Plays steps on a store and on the model, and compares the two after each. */

import assert from "node:assert/strict";
import {
  type Conversation,
  type Memory,
  MemoryError,
  nodeSqlite,
  openMemory,
  type Receipt,
  type Snapshot,
  type SqliteConnection,
  type SqliteDriver,
  summaryFromHistory,
} from "@holdfast/memory";
import { sourceOf } from "../../conversations/samples.ts";
import { DatabaseNames } from "../../kit/database_names.ts";
import { Seeded } from "../records/seeded.ts";
import { compareAll, compareSnapshot } from "./comparison.ts";
import {
  ConversationModel,
  type DeleteCall,
  type PinCall,
  type Token,
  type TurnCall,
  TURNS_MAX,
} from "./conversation_model.ts";
import { drawStep, type Step } from "./plan.ts";
import type { Outcome } from "./scope_model.ts";
import { messageOf, storedMessageOf } from "./shapes.ts";

/** How a run is played. */
export interface Run {
  readonly seed: number;
  readonly steps: number;
  /** `:memory:` is never reopened. */
  readonly path: string;
  /** How many stores have the file open at once; each call goes to one of them. */
  readonly stores: number;
}

/** A step that puts a turn. */
type Put = Step & { readonly op: "putTurn" | "append" | "sendAgain" };

/** How often each kind of outcome was met. */
export type Tally = Readonly<Record<string, number>>;

const STEPS_SHOWN = 12;

/** Steps that are an earlier one again, to the letter: retries that come late. */
const SHARE_REPEATED = 0.06;
const STEPS_BETWEEN_CHECKS = 100;

/** Plays a run; a difference is told with the seed and the shortest prefix of steps that shows it. */
export async function play(run: Run): Promise<Tally> {
  const player = new Player(run);
  const played: Step[] = [];
  try {
    await player.open();
    while (played.length < run.steps) {
      const again = played.length > 0 && player.seeded.chance(SHARE_REPEATED);
      const step = again
        ? player.seeded.pick(played)
        : drawStep(player.seeded, player.model, played.length + 1, player.taken);
      played.push(step);
      await player.step(step, played.length);
      if (played.length % STEPS_BETWEEN_CHECKS === 0) await player.check();
    }
    await player.check();
    return player.tally;
  } catch (error) {
    const shown = played.slice(-STEPS_SHOWN).map((step) => `  ${JSON.stringify(step)}`).join("\n");
    throw new assert.AssertionError({
      message: `seed ${run.seed}: the shortest prefix that fails has ${played.length} steps; its last are\n` +
        `${shown}\n${(error as Error).message}\n${(error as Error).stack}`,
    });
  } finally {
    await player.close();
  }
}

type OfSnapshot = Extract<Step, { readonly taken: number }>;

class Player {
  readonly seeded: Seeded;
  readonly model: ConversationModel;
  readonly tally: Record<string, number> = {};
  readonly #run: Run;
  readonly #taken: { readonly snapshot: Snapshot; readonly token: Token }[] = [];
  #stores: Memory[] = [];
  readonly #names = new DatabaseNames();
  #main: SqliteConnection | null = null;

  constructor(run: Run) {
    this.#run = run;
    this.seeded = new Seeded(run.seed);
    this.model = new ConversationModel(1_800_000_000_000 + run.seed);
  }

  get taken(): number {
    return this.#taken.length;
  }

  async open(): Promise<void> {
    const driver: SqliteDriver = {
      name: nodeSqlite.name,
      open: (path, options) => {
        const connection = nodeSqlite.open(path, options);
        if (this.#names.nameOf(path) === "main") this.#main = connection;
        return connection;
      },
    };
    const limits = { turnsPerScope: TURNS_MAX };
    for (let index = 0; index < this.#run.stores; index++) {
      this.#stores.push(await openMemory(this.#run.path, { driver, limits, clock: () => this.model.nowMs }));
    }
  }

  async close(): Promise<void> {
    for (const memory of this.#stores.splice(0)) await memory.close();
    this.#main = null;
  }

  async check(): Promise<void> {
    assert.deepEqual((await this.#stores[0]!.check()).problems, []);
  }

  async step(step: Step, number: number): Promise<void> {
    const memory = this.seeded.pick(this.#stores);
    if (step.op === "clock") this.model.nowMs += step.byMs;
    else if (step.op === "reopen") {
      if (this.#run.path === ":memory:") return;
      await this.close();
      await this.open();
    } else if (step.op === "prune") await this.#prune(memory, step.scrub);
    else await this.#call(memory, step, number);
    compareAll(this.#main!, this.model);
  }

  async #prune(memory: Memory, scrub: boolean): Promise<void> {
    const report = await memory.prune({ scrub });
    const { operations: _, ...expected } = this.model.prune();
    assert.deepEqual(report.expired, { ...expected, records: 0 });
    assert.equal(report.scrub?.complete ?? null, scrub ? true : null);
  }

  async #call(
    memory: Memory,
    step: Exclude<Step, { op: "clock" | "reopen" | "prune" }>,
    number: number,
  ): Promise<void> {
    switch (step.op) {
      case "create":
        return this.#agree(
          step,
          await outcomeOf(at(memory, step.scope).create()),
          this.model.create(step.scope),
        );
      case "putTurn":
        return this.#agree(step, await outcomeOf(putTurn(memory, step.call)), this.model.putTurn(step.call));
      case "append":
        return await this.#append(memory, step);
      case "sendAgain":
        return await this.#sendAgain(memory, step);
      case "putPin":
        return this.#agree(
          step,
          await outcomeOf(this.#putPin(memory, step.call)),
          this.model.putPin(step.call),
        );
      case "delete":
        return this.#agree(step, await outcomeOf(erase(memory, step.call)), this.model.delete(step.call));
      case "snapshot":
        return await this.#snapshot(memory, step);
      case "turns":
        return await this.#turns(memory, step);
      default:
        return await this.#withSnapshot(memory, step, number);
    }
  }

  async #append(memory: Memory, step: Put): Promise<void> {
    const { scope, content, shape, expires } = step.call;
    const expiresAt = typeof expires === "number" ? new Date(expires) : expires;
    const { messageId: _, ...message } = messageOf("none", content, shape);
    const outcome = await outcomeOf(at(memory, scope).append([message], { expiresAt }));
    if ("refused" in outcome) return this.#agree(step, outcome, this.model.putTurn(step.call));
    const { turnId, revision } = outcome.value as { turnId: string; revision: number };
    const messageIds = [`${turnId}:0`];
    this.#agree(step, { value: revision }, this.model.putTurn({ ...step.call, turnId, messageIds }));
  }

  /** The store chooses the turn's id. */
  async #sendAgain(memory: Memory, step: Put): Promise<void> {
    const { scope, messageIds, content, shape } = step.call;
    const messages = messageIds.map((messageId) => messageOf(messageId, content, shape));
    const outcome = await outcomeOf(at(memory, scope).append(messages, { onDuplicate: "skip" }));
    const turnId = "refused" in outcome ? null : (outcome.value as { readonly turnId: string | null }).turnId;
    this.#agree(step, outcome, this.model.sendAgain({ ...step.call, turnId: turnId ?? step.call.turnId }));
  }

  /** The source is worked out from the model's turn, with the revision that was drawn. */
  #putPin(memory: Memory, call: PinCall): Promise<number> {
    const { scope, key, value, revision, effective, expires, cites, expected: expectedRevision } = call;
    const conversation = at(memory, scope);
    const turn = this.model.scopes.get(scope)?.turns.find(({ turnId }) => turnId === cites?.turnId);
    const messages = turn === undefined
      ? []
      : [storedMessageOf(turn.messageIds[0]!, turn.content, turn.shape)];
    const source = turn === undefined || cites === null
      ? null
      : sourceOf({ ...turn, revision: cites.revision, scope: conversation.scope, messages } as never);
    return conversation.putPin({
      scope: conversation.scope,
      key,
      value,
      origin: "model",
      revision,
      effectiveAt: new Date(effective),
      expiresAt: expires === null ? null : new Date(expires),
      source,
    }, { expectedRevision });
  }

  async #snapshot(memory: Memory, step: Step & { readonly op: "snapshot" | "turns" }): Promise<void> {
    const { scope } = step;
    const expected = this.model.snapshot(scope);
    let snapshot: Snapshot | null = null;
    const outcome = await outcomeOf((async () => {
      snapshot = await at(memory, scope).snapshot();
      return snapshot.revision;
    })());
    this.#agree(step, outcome, expected);
    if (snapshot === null) return;
    const held = this.model.scopes.get(scope)!;
    compareSnapshot(snapshot, held, this.model.nowMs);
    const token = { scope, identity: held.identity(this.model.nowMs) };
    for (const other of this.#taken.filter((taken) => taken.token.scope === scope)) {
      const same = other.token.identity === token.identity;
      assert.equal(
        other.snapshot.id === (snapshot as Snapshot).id,
        same,
        "snapshots are equal as the model says",
      );
    }
    this.#taken.push({ snapshot, token });
  }

  async #turns(memory: Memory, step: Step & { readonly op: "snapshot" | "turns" }): Promise<void> {
    const expected = this.model.snapshot(step.scope);
    const read = async (): Promise<unknown> =>
      (await Array.fromAsync(at(memory, step.scope).turns())).map(({ turnId, revision, messages }) => {
        return [turnId, revision, messages];
      });
    const turns = this.model.scopes.get(step.scope)?.turns ?? [];
    const all = turns.map((turn) => [
      turn.turnId,
      turn.revision,
      turn.messageIds.map((messageId) => storedMessageOf(messageId, turn.content, turn.shape)),
    ]);
    this.#agree(step, await outcomeOf(read()), "refused" in expected ? expected : { value: all });
  }

  async #withSnapshot(memory: Memory, step: OfSnapshot, number: number): Promise<void> {
    const { snapshot, token } = this.#taken[step.taken]!;
    const conversation = at(memory, token.scope);
    if (step.op === "assertCurrent") {
      const call = conversation.assertCurrent(snapshot).then(({ revision }) => revision);
      return this.#agree(step, await outcomeOf(call), this.model.assertCurrent(token));
    }
    if (step.op === "cachePut") {
      const { key, ttl } = step;
      const call = conversation.cachePut(snapshot, key, { payload: number }, { ttl });
      return this.#agree(
        step,
        await outcomeOf(call),
        this.model.cachePut(token, key, { payload: number, ttl }),
      );
    }
    if (step.op === "cacheGet") {
      const call = conversation.cacheGet(snapshot, step.key);
      return this.#agree(step, await outcomeOf(call), this.model.cacheGet(token, step.key));
    }
    await this.#putSummary(conversation, step, { snapshot, token, content: `summary ${number}` });
  }

  async #putSummary(
    conversation: Conversation,
    step: Step & { readonly op: "putSummary" },
    { snapshot, token, content }: {
      readonly snapshot: Snapshot;
      readonly token: Token;
      readonly content: string;
    },
  ): Promise<void> {
    const { scope } = conversation;
    const expires = step.lifeMs === null ? null : this.model.nowMs + step.lifeMs;
    const turns = (this.model.scopes.get(token.scope)?.turns ?? []).filter(({ turnId }) =>
      step.covers.includes(turnId)
    );
    const history = turns.map(({ turnId, revision, timestamp, messageIds, content, shape }) => ({
      turnId,
      scope,
      revision,
      timestamp,
      messages: messageIds.map((messageId) => storedMessageOf(messageId, content, shape)),
    }));
    const summary = summaryFromHistory({
      scope,
      content,
      history,
      policyVersion: "model",
      createdAt: new Date(this.model.nowMs),
      expiresAt: expires === null ? null : new Date(expires),
    });
    const outcome = await outcomeOf(conversation.putSummary(snapshot, summary));
    const covers = turns.map(({ turnId, revision }) => ({ turnId, revision }));
    this.#agree(step, outcome, this.model.putSummary(token, content, { covers, expires }));
  }

  #agree({ op }: Step, actual: Outcome, expected: Outcome): void {
    assert.deepEqual(actual, expected, op);
    const name = "refused" in actual ? `refused: ${actual.refused}` : op;
    this.tally[name] = (this.tally[name] ?? 0) + 1;
  }
}

function at(memory: Memory, name: string): Conversation {
  return memory.conversation({ tenantId: "model", sessionId: name });
}

function putTurn(memory: Memory, call: TurnCall): Promise<number> {
  const { scope, turnId, messageIds, content, shape, timestamp, expires, expected, operationId } = call;
  const conversation = at(memory, scope);
  const messages = messageIds.map((messageId) => messageOf(messageId, content, shape));
  const revision = call.revision === null ? {} : { revision: call.revision };
  return conversation.putTurn({ turnId, scope: conversation.scope, ...revision, timestamp, messages }, {
    operationId: operationId!,
    expectedRevision: expected!,
    expiresAt: typeof expires === "number" ? new Date(expires) : expires,
  });
}

/** What a receipt says, in the model's words. */
async function erase(memory: Memory, call: DeleteCall): Promise<unknown> {
  const { scope, kind, key, expected: expectedRevision, operationId } = call;
  const target = { kind, ...(kind === "scope" ? {} : { key }), expectedRevision };
  const receipt: Receipt = await at(memory, scope).delete(
    target,
    operationId === null ? {} : { operationId },
  );
  const { turns, pins, summaries, replay, operations } = receipt.erased;
  const counts = { turns, pins, summaries, replay, operations };
  return { sequence: receipt.sequence, already: receipt.already, counts };
}

/** What a call gave, or why it was refused; anything but an error of the module is thrown. */
async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await call };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const { reason, currentRevision } = error as MemoryError & { reason?: string; currentRevision?: number };
    const refused = reason ?? error.code;
    return currentRevision === undefined ? { refused } : { refused, currentRevision };
  }
}
