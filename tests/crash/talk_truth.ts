/** The expected content of a store of conversations, from its children's reports; at most one call is in flight. */

import assert from "node:assert/strict";
import {
  ConflictError,
  type Conversation,
  type Memory,
  type Receipt,
  type ScrubReport,
  type Turn,
} from "@holdfast/memory";
import { contentOf, type TalkAnswer, type TalkCall, type TalkLine, TENANT } from "./talk.ts";

interface Saying {
  readonly mark: string;
  readonly expiresAtMs: number | null;
}

/** One scope: the texts of its turns in order, its pins, and its current replay. */
interface TalkScope {
  turns: readonly Saying[];
  pins: readonly Saying[];
  replay: string | null;
}

type Scopes = ReadonlyMap<string, TalkScope>;

const RECEIPTS_VERIFIED = 3;

/** The model of one store, over all its children. */
export class TalkTruth {
  #scopes: Scopes = new Map();
  #inFlight: TalkCall | null = null;
  /** Marks that were deleted or revised away. */
  readonly #gone = new Set<string>();
  /** Marks that expired, and may not have been erased yet. */
  readonly #expired = new Set<string>();
  /** Marks of which no byte may remain. */
  readonly #scrubbed = new Set<string>();
  readonly #receipts: Receipt[] = [];
  /** Acknowledged calls by kind. */
  readonly acknowledged: Record<string, number> = {};

  /** The scopes that are there. */
  get scopes(): readonly string[] {
    return [...this.#scopes.keys()];
  }

  /** Lets time pass. */
  advance(nowMs: number): void {
    const isDue = ({ expiresAtMs }: Saying): boolean => expiresAtMs !== null && expiresAtMs <= nowMs;
    const scopes = new Map(this.#scopes);
    for (const [name, { turns, pins, replay }] of scopes) {
      const expired = [...turns, ...pins].filter(isDue);
      for (const { mark } of expired) this.#expired.add(mark);
      scopes.set(name, {
        turns: turns.filter((each) => !isDue(each)),
        pins: pins.filter((each) => !isDue(each)),
        replay: expired.length === 0 ? replay : null,
      });
    }
    this.#scopes = scopes;
  }

  /** Reads one line of the running child. */
  hear(line: TalkLine): void {
    assert(line.type !== "error", line.type === "error" ? `${line.message}\n${line.stack}` : "");
    if (line.type === "intent") this.#inFlight = line.call;
    if (line.type !== "ack") return;
    const call = this.#inFlight!;
    this.#inFlight = null;
    this.acknowledged[call.op] = (this.acknowledged[call.op] ?? 0) + 1;
    this.#apply(call);
    this.#noteAnswer(line.answer);
  }

  #noteAnswer(answer: TalkAnswer): void {
    if (answer === null) return;
    if ("sequence" in answer) this.#receipts.push(answer);
    if (!isComplete(answer)) return;
    for (const mark of this.#gone) this.#scrubbed.add(mark);
    if (!("sequence" in answer)) { for (const mark of this.#expired) this.#scrubbed.add(mark); }
  }

  #apply(call: TalkCall): void {
    const after = applied(this.#scopes, call);
    const left = marksOf(after);
    for (const mark of marksOf(this.#scopes)) if (!left.has(mark)) this.#gone.add(mark);
    this.#scopes = after;
  }

  /**
   * Compares what is found after a kill: a call in flight is stored entirely or not at all. Returns whether it is.
   */
  async settle(memory: Memory): Promise<boolean | null> {
    const call = this.#inFlight;
    const found = await find(memory, [
      ...this.#scopes.keys(),
      ...(call?.op === "create" ? [call.scope] : []),
    ]);
    this.#inFlight = null;
    if (call?.op === "replay") return await this.#settleReplay(memory, call);
    if (call === null || isSame(applied(this.#scopes, call), this.#scopes)) {
      assert.deepEqual(found, withoutReplays(this.#scopes));
      return null;
    }
    const happened = isSame(new Map(found), withoutReplays(applied(this.#scopes, call)));
    if (!happened) {
      assert.deepEqual(found, withoutReplays(this.#scopes), `in flight: ${JSON.stringify(call)}`);
    }
    if (happened) this.#apply(call);
    return happened;
  }

  /** An answer in flight is kept or not; the scope is as it was. */
  async #settleReplay(memory: Memory, call: TalkCall & { op: "replay" }): Promise<boolean> {
    assert.deepEqual(await find(memory, this.scopes), withoutReplays(this.#scopes));
    const kept = await readReplay(memory, call.scope);
    const before = this.#scopes.get(call.scope)!.replay;
    assert([before, call.mark].includes(kept), `${kept} is neither ${before} nor ${call.mark}`);
    if (kept !== call.mark) return false;
    this.#apply(call);
    return true;
  }

  /** Requires that what was acknowledged is valid: remembered answers, and receipts. */
  async assertKept(memory: Memory): Promise<void> {
    for (const [sessionId, { replay }] of this.#scopes) {
      if (replay === null) continue;
      assert.equal(await readReplay(memory, sessionId), replay);
    }
    for (const receipt of this.#receipts.slice(-RECEIPTS_VERIFIED)) {
      const report = await memory.verifyReceipt(receipt);
      assert.equal(report.valid, true, JSON.stringify(report));
    }
  }

  /** Requires that no byte of what was scrubbed is in any of these files. */
  assertScrubbed(files: readonly Uint8Array[]): void {
    const text = files.map((bytes) => new TextDecoder("latin1").decode(bytes)).join("\n");
    const left = [...new Set(text.match(/zq\d+x\d+q/g) ?? [])].filter((mark) => this.#scrubbed.has(mark));
    assert.deepEqual(left, [], "what was scrubbed is still in a file");
  }
}

function isComplete(answer: Receipt | ScrubReport): boolean {
  return "sequence" in answer ? answer.scrubbed : answer.complete;
}

/** The scopes after a call; the same if it does not change their content. */
function applied(scopes: Scopes, call: TalkCall): Scopes {
  if (call.op === "prune" || call.op === "index" || call.op === "search") return scopes;
  const after = new Map(scopes);
  if (call.op === "deleteScope") after.delete(call.scope);
  else if (call.op === "create") after.set(call.scope, { turns: [], pins: [], replay: null });
  else after.set(call.scope, changed(scopes.get(call.scope)!, call));
  return after;
}

type Change = Exclude<TalkCall, { op: "prune" | "index" | "search" | "deleteScope" | "create" }>;

function changed({ turns, pins }: TalkScope, call: Change): TalkScope {
  const { mark } = call;
  const without = (sayings: readonly Saying[]): readonly Saying[] =>
    sayings.filter((each) => each.mark !== mark);
  switch (call.op) {
    case "append":
      return { turns: [...turns, { mark, expiresAtMs: call.expiresAtMs }], pins, replay: null };
    case "revise":
      return {
        turns: turns.map((each) => each.mark === call.old ? { ...each, mark } : each),
        pins,
        replay: null,
      };
    case "pin":
      return { turns, pins: [...pins, { mark, expiresAtMs: call.expiresAtMs }], replay: null };
    case "deleteTurn":
      return { turns: without(turns), pins, replay: null };
    case "deletePin":
      return { turns, pins: without(pins), replay: null };
    case "replay":
      return { turns, pins, replay: mark };
  }
}

function marksOf(scopes: Scopes): ReadonlySet<string> {
  return new Set(
    [...scopes.values()].flatMap(({ turns, pins }) => [...turns, ...pins].map(({ mark }) => mark)),
  );
}

type Outline = ReadonlyMap<string, { readonly turns: readonly string[]; readonly pins: readonly string[] }>;

function withoutReplays(scopes: Scopes): Outline {
  return new Map(
    [...scopes].map(([name, { turns, pins }]) => [name, {
      turns: turns.map(({ mark }) => mark),
      pins: pins.map(({ mark }) => mark).toSorted(),
    }]),
  );
}

function isSame(left: Scopes | Outline, right: Scopes | Outline): boolean {
  return JSON.stringify([...left]) === JSON.stringify([...right]);
}

async function readReplay(memory: Memory, sessionId: string): Promise<string | null> {
  const conversation = memory.conversation({ tenantId: TENANT, sessionId });
  const kept = await conversation.cacheGet(await conversation.snapshot(), "answer");
  return (kept as { readonly mark: string } | null)?.mark ?? null;
}

async function find(memory: Memory, names: readonly string[]): Promise<Outline> {
  const found = new Map<string, { turns: readonly string[]; pins: readonly string[] }>();
  for (const sessionId of names) {
    const conversation = memory.conversation({ tenantId: TENANT, sessionId });
    try {
      const { pins } = await conversation.snapshot();
      const turns = await Array.fromAsync(conversation.turns());
      found.set(sessionId, {
        turns: await Promise.all(turns.map((turn) => markOf(conversation, turn))),
        pins: pins.map(({ key }) => key).toSorted(),
      });
    } catch (error) {
      if (!(error instanceof ConflictError && ["MISSING", "DELETED"].includes(error.reason))) throw error;
    }
  }
  return found;
}

/** The mark of a turn, all of whose media is there. */
async function markOf(conversation: Conversation, { messages }: Pick<Turn, "messages">): Promise<string> {
  const [message] = await conversation.withMedia(messages);
  const mark = message!.content.split(" ")[0]!;
  assert.deepEqual(message!.parts, contentOf(mark));
  return mark;
}
