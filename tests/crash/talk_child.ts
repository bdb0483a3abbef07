/**
 * The process that is killed. It appends, deletes, indexes, searches, prunes and scrubs, one call after the other,
 * and reports each call before it makes it and each answer once it has it. Its one argument is a {@linkcode
 * TalkErrand}.
 */

import { type Conversation, type Memory, nodeSqlite, openMemory } from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";
import { Striker, strikingDriver } from "./strike.ts";
import {
  contentOf,
  type TalkAnswer,
  type TalkCall,
  type TalkErrand,
  type TalkLine,
  TENANT,
  timeOf,
} from "./talk.ts";

const CALLS_MAX = 300;
const SCOPES = 2;

const encoder = new TextEncoder();

/** The parent reads a written line even if this process has ended. */
function say(line: TalkLine): void {
  const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
}

/** Draws calls, and makes them. */
class Talker {
  readonly #memory: Memory;
  readonly #errand: TalkErrand;
  readonly #seeded: Seeded;
  readonly #scopes: string[];
  #marks = 0;

  constructor(memory: Memory, errand: TalkErrand) {
    this.#memory = memory;
    this.#errand = errand;
    this.#seeded = new Seeded(errand.seed);
    this.#scopes = [...errand.scopes];
  }

  async talk(): Promise<void> {
    for (let call = 0; call < CALLS_MAX; call++) {
      const next = await this.#draw();
      if (next === null) continue;
      say({ type: "intent", call: next });
      say({ type: "ack", answer: await this.#make(next) });
    }
  }

  #conversation(scope: string): Conversation {
    return this.#memory.conversation({ tenantId: TENANT, sessionId: scope });
  }

  #mark(): string {
    return `zq${this.#errand.cycle}x${this.#marks++}q`;
  }

  /** A deadline shortly after this child's time, or none. */
  #expiry(): number | null {
    return this.#seeded.chance(0.3)
      ? timeOf(this.#errand.cycle) + this.#seeded.integer(1, 3) * 10_000 - 5_000
      : null;
  }

  async #draw(): Promise<TalkCall | null> {
    if (this.#scopes.length < SCOPES) return { op: "create", scope: this.#mark() };
    const scope = this.#seeded.pick(this.#scopes);
    const { pins, turnCount } = await this.#conversation(scope).snapshot();
    const turn = this.#seeded.pick([...(await this.#turns(scope)).keys(), ""]);
    const pin = this.#seeded.pick([...pins.map(({ key }) => key), ""]);
    const mark = this.#mark();
    const scrub = this.#seeded.chance(0.3);
    const chunkCharacters = this.#seeded.pick([200, 360, 500]);
    const call = this.#seeded.weighted<TalkCall>([
      [turnCount < 30 ? 8 : 1, { op: "append", scope, mark, expiresAtMs: this.#expiry() }],
      [2, { op: "revise", scope, old: turn, mark }],
      [pins.length < 8 ? 2 : 0, { op: "pin", scope, mark, expiresAtMs: this.#expiry() }],
      [2, { op: "replay", scope, mark }],
      [3, { op: "index", scope, chunkCharacters }],
      [2, { op: "search", scope, mark: turn }],
      [turnCount > 8 ? 4 : 1, { op: "deleteTurn", scope, mark: turn, scrub }],
      [1, { op: "deletePin", scope, mark: pin }],
      [0.4, { op: "deleteScope", scope, scrub }],
      [1, { op: "prune", scrub: this.#seeded.chance(0.5) }],
    ]);
    const named = call.op === "revise" ? call.old : "mark" in call ? call.mark : "none";
    return named === "" ? null : call;
  }

  /** The turns of a scope: their ids by their text. */
  async #turns(
    scope: string,
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly revision: number }>> {
    const turns = await Array.fromAsync(this.#conversation(scope).turns());
    return new Map(
      turns.map(({ turnId, revision, messages }) => [markOf(messages[0]!.content), { id: turnId, revision }]),
    );
  }

  async #make(call: TalkCall): Promise<TalkAnswer> {
    if (call.op === "prune") return (await this.#memory.prune({ scrub: call.scrub })).scrub;
    const conversation = this.#conversation(call.scope);
    if (call.op === "create") {
      await conversation.create();
      this.#scopes.push(call.scope);
      return null;
    }
    const expectedRevision = await conversation.revision();
    if (call.op === "deleteScope") {
      const { scrub } = call;
      const receipt = await conversation.delete({ kind: "scope", expectedRevision }, { scrub });
      this.#scopes.splice(this.#scopes.indexOf(call.scope), 1);
      return receipt;
    }
    if (call.op === "deleteTurn") {
      const key = (await this.#turns(call.scope)).get(call.mark)!.id;
      return await conversation.delete({ kind: "turn", key, expectedRevision }, { scrub: call.scrub });
    }
    if (call.op === "deletePin") {
      return await conversation.delete({ kind: "pin", key: call.mark, expectedRevision });
    }
    await this.#write(call, conversation, expectedRevision);
    return null;
  }

  async #write(call: TalkCall, conversation: Conversation, expectedRevision: number): Promise<void> {
    switch (call.op) {
      case "append": {
        const expiresAt = call.expiresAtMs === null ? null : new Date(call.expiresAtMs);
        await conversation.append([{ role: "user", content: contentOf(call.mark) }], { expiresAt });
        break;
      }
      case "revise": {
        const { id: turnId, revision } = (await this.#turns(call.scope)).get(call.old)!;
        const messages = [{ messageId: call.mark, role: "user" as const, content: contentOf(call.mark) }];
        const turn = { turnId, scope: conversation.scope, messages, revision: revision + 1 };
        await conversation.putTurn(turn, { operationId: call.mark, expectedRevision });
        break;
      }
      case "pin": {
        const { scope, mark, expiresAtMs } = { ...call, scope: conversation.scope };
        const expiresAt = expiresAtMs === null ? {} : { expiresAt: new Date(expiresAtMs).toISOString() };
        await conversation.putPin({ scope, key: mark, value: mark, origin: "child", ...expiresAt }, {
          expectedRevision,
        });
        break;
      }
      case "replay":
        await conversation.cachePut(await conversation.snapshot(), "answer", { mark: call.mark });
        break;
      case "index": {
        const { chunkCharacters } = call;
        await conversation.indexBatch(await conversation.snapshot(), {
          chunkCharacters,
          overlapCharacters: 20,
        }, {
          batchSize: 16,
        });
        break;
      }
      case "search": {
        const [best] = await conversation.search(call.mark, { topK: 1 });
        if (!best?.content.includes(call.mark)) throw new Error(`a search did not find ${call.mark}`);
      }
    }
  }
}

function markOf(content: string): string {
  return content.slice(0, content.indexOf(" "));
}

try {
  const errand = JSON.parse(Deno.args[0]!) as TalkErrand;
  const striker = new Striker(errand.strike, null, null);
  const memory = await openMemory(errand.path, {
    clock: () => timeOf(errand.cycle),
    driver: strikingDriver(striker, nodeSqlite),
  });
  say({ type: "open" });
  striker.arm();
  await new Talker(memory, errand).talk();
  await memory.close();
  say({ type: "end" });
} catch (error) {
  const { message, stack = "" } = error as Error;
  say({ type: "error", message, stack });
  Deno.exit(1);
}
