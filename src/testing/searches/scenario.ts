/** Runs turns, edits, deletions and expiries on a conversation in a store, and compares it with one in memory. */

import assert from "node:assert/strict";
import {
  assembleContext,
  type AssembleContextInput,
  type AssembledContext,
  type Budget,
  type Conversation,
  frozenSummary,
  type Memory,
  MemoryError,
  type Message,
  pin,
  type Snapshot,
  summaryFromHistory,
  type TimedTurn,
  turn,
} from "../../../mod.ts";
import type { MutableClock } from "../kit/mutable_clock.ts";
import { FOURS } from "./fours_counter.ts";

/** The scope of all scenarios. */
export const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" } as const;

/** A step of a conversation. Numbers choose among the existing turns. */
export type Step =
  | { readonly kind: "put"; readonly texts: readonly string[]; readonly calls: number; readonly ttl: number }
  | { readonly kind: "edit"; readonly which: number; readonly texts: readonly string[] }
  | { readonly kind: "delete"; readonly which: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "pin"; readonly value: string; readonly ttl: number }
  | { readonly kind: "summarize"; readonly turns: number }
  | { readonly kind: "index"; readonly batchSize: number };

/** The arguments of an assembly between the steps. */
export interface Asking {
  readonly question: string;
  readonly budget: Budget;
  readonly options: Pick<AssembleContextInput, "profile" | "retrieval" | "cap" | "options" | "summaryPrefix">;
}

const SYSTEM = "Answer from the data.";

/** A conversation in a store that runs steps. The scope exists before the first step. */
export class Scenario {
  readonly clock: MutableClock;
  readonly memory: Memory;
  readonly conversation: Conversation;
  #turns = 0;

  constructor(memory: Memory, clock: MutableClock) {
    this.memory = memory;
    this.clock = clock;
    this.conversation = memory.conversation(SCOPE);
  }

  async play(step: Step): Promise<void> {
    const { conversation } = this;
    switch (step.kind) {
      case "put":
        return await this.put(step.texts, step);
      case "edit":
        return await this.#edit(step.which, step.texts);
      case "delete":
        return await this.#delete(step.which);
      case "wait":
        return this.clock.advance(step.seconds);
      case "pin":
        return await this.#pin(step.value, step.ttl);
      case "summarize":
        return await this.#summarize(step.turns);
      case "index":
        await conversation.indexBatch(await conversation.snapshot(), {}, { batchSize: step.batchSize });
    }
  }

  /** Puts a new turn. */
  async put(texts: readonly string[], { calls = 0, ttl = 0 } = {}): Promise<void> {
    const id = `t${this.#turns++}`;
    await this.#write(id, 1, messagesOf(id, texts, calls), ttl === 0 ? undefined : ttl);
  }

  async #write(id: string, revision: number, messages: readonly Message[], ttl?: number): Promise<void> {
    const expectedRevision = await this.conversation.revision();
    await this.conversation.putTurn(
      turn({ turnId: id, scope: SCOPE, messages, revision, timestamp: this.clock.ms > 0 ? this.#at(0) : "" }),
      {
        operationId: `${id}:${revision}`,
        expectedRevision,
        ...(ttl === undefined ? {} : { expiresAt: this.#at(ttl) }),
      },
    );
  }

  #at(seconds: number): string {
    return new Date(this.clock.ms + seconds * 1_000).toISOString();
  }

  async #edit(which: number, texts: readonly string[]): Promise<void> {
    const old = pick(await this.history(), which);
    if (old === undefined) return;
    const revision = old.revision + 1;
    await this.#write(old.turnId, revision, messagesOf(`${old.turnId}r${revision}`, texts, 0));
  }

  async #delete(which: number): Promise<void> {
    const old = pick(await this.history(), which);
    if (old === undefined) return;
    const expectedRevision = await this.conversation.revision();
    await this.conversation.delete({ kind: "turn", key: old.turnId, expectedRevision });
  }

  async #pin(value: string, ttl: number): Promise<void> {
    const { pins, revision: expectedRevision } = await this.conversation.snapshot();
    const revision = (pins.find(({ key }) => key === `k${ttl}`)?.revision ?? 0) + 1;
    const at = this.#at(ttl);
    const key = `k${ttl}`;
    const made = pin({ scope: SCOPE, key, value, origin: "o", revision, expiresAt: at });
    try {
      await this.conversation.putPin(made, { expectedRevision });
    } catch (error) {
      // A pin that expired leaves a minimum revision, which this test does not track.
      if (!(error instanceof MemoryError && error.code === "CONFLICT")) throw error;
    }
  }

  async #summarize(turns: number): Promise<void> {
    const history = (await this.history()).slice(0, turns);
    if (history.length === 0) return;
    const snapshot = await this.conversation.snapshot();
    const content = "Earlier, pumps failed.";
    const createdAt = this.#at(0);
    const summary = summaryFromHistory({ scope: SCOPE, content, history, policyVersion: "1", createdAt });
    await this.conversation.putSummary(snapshot, summary);
  }

  /** Returns all turns. */
  async history(): Promise<readonly TimedTurn[]> {
    return await Array.fromAsync(this.conversation.turns());
  }

  /** Asserts that the store assembles the same context as the whole history in memory. */
  async compare({ question, budget, options }: Asking): Promise<AssembledContext | null> {
    const counting = { counter: FOURS };
    const asked = { system: SYSTEM, counting, ...options };
    const stored = await outcome(() => this.conversation.assemble(question, budget, asked));
    const snapshot = await this.conversation.snapshot();
    const expected = await outcome(async () => {
      return await assembleContext({
        ...asked,
        scope: SCOPE,
        history: await this.history(),
        question,
        budget,
        ...inMemory(snapshot),
      });
    });
    // Under the reference profile CAP shortens the whole history, but a store shortens only the window.
    if (expected === "CAP_BUDGET" && options.profile === "reference") return null;
    if (typeof stored === "string" || typeof expected === "string") {
      assert.equal(stored, expected);
      return null;
    }
    const { context } = stored;
    assert.deepEqual(context.request, expected.request);
    assert.equal(JSON.stringify(context.request), JSON.stringify(expected.request));
    assert.deepEqual(context.blocks, expected.blocks);
    assert.deepEqual(context.diagnostics.retrievedChunkIds, expected.diagnostics.retrievedChunkIds);
    assert.equal(context.diagnostics.configFingerprint, expected.diagnostics.configFingerprint);
    assert.equal(context.diagnostics.omittedTurnCount, expected.diagnostics.omittedTurnIds?.length);
    assert.equal(stored.snapshot.id, snapshot.id);
    return context;
  }
}

function inMemory({ at, pins, summary }: Snapshot): {
  at: string;
  pins: Snapshot["pins"];
  summaryPolicy: ReturnType<typeof frozenSummary> | null;
} {
  return { at, pins, summaryPolicy: summary === null ? null : frozenSummary(summary) };
}

async function outcome<T>(call: () => Promise<T>): Promise<T | string> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof MemoryError && /TOO_LARGE|LAYER|CAP/.test(error.code)) return error.code;
    throw error;
  }
}

function pick(history: readonly TimedTurn[], which: number): TimedTurn | undefined {
  return history[which % Math.max(1, history.length)];
}

function messagesOf(id: string, texts: readonly string[], calls: number): readonly Message[] {
  const plain = texts.map((content, position): Message => ({
    messageId: `${id}.${position}`,
    role: position % 2 === 0 ? "user" : "assistant",
    content,
  }));
  if (calls === 0) return plain;
  const names = Array.from({ length: calls }, (_, call) => `${id}.c${call}`);
  const toolCalls = names.map((callId) => ({ id: callId, name: "look", arguments: '{ "q": "x" }' }));
  return [
    ...plain,
    { messageId: `${id}.ask`, role: "assistant", content: "", toolCalls },
    ...names.toReversed().map((toolCallId): Message => ({
      messageId: `${id}.${toolCallId}`,
      role: "tool",
      content: texts[0] ?? "",
      toolCallId,
    })),
  ];
}
