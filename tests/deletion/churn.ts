/** A store that is churned: puts, revisions, deletions and expiries in turn, every text and identifier marked. */

import { Buffer } from "node:buffer";
import {
  type Conversation,
  type Memory,
  type MemoryOptions,
  type NewMessage,
  openMemory,
  type Scope,
} from "@holdfast/memory";
import { NOON, pinOf, readTurns, sourceOf, summaryOf, turnOf } from "../conversations/samples.ts";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { Seeded } from "../model/records/seeded.ts";
import { JournalChurn } from "./journal_churn.ts";

/** How each mark begins; eight digits follow. */
const PREFIX = "zqx";
const MARK_CHARACTERS = PREFIX.length + 8;

/** The same in base64, as long as a mark is there. */
const BASE64_PREFIX = Buffer.from(PREFIX).toString("base64");
const BASE64_CHARACTERS = 4 * Math.ceil(MARK_CHARACTERS / 3);

/** Numbers in a row, times this, modulo 10^8, are all different and in no order: pages are split in their middle. */
const SCATTER = 48_271;

/** Marks that were written, and those of them that must be gone. */
class Marks {
  readonly #seed: number;
  #count = 0;
  readonly live = new Set<string>();
  readonly gone = new Set<string>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  make(): string {
    const number = ((this.#seed * 100_000 + this.#count++) * SCATTER) % 100_000_000;
    const mark = `${PREFIX}${String(number).padStart(8, "0")}`;
    this.live.add(mark);
    return mark;
  }

  kill(marks: Iterable<string>): void {
    for (const mark of marks) {
      this.live.delete(mark);
      this.gone.add(mark);
    }
  }
}

/** A turn as the churn remembers it. */
interface Kept {
  readonly turnId: string;
  revision: number;
  /** The mark of its id and message id. */
  readonly ids: readonly [turn: string, message: string];
  content: string;
  expires: boolean;
}

const SCOPES = 4;
const TURNS = 1_000;
const CHANGES_BETWEEN = 3;

/** See the module's documentation. */
export class Churn {
  readonly marks: Marks;
  readonly #seeded: Seeded;
  readonly #clock = new MutableClock(NOON);
  readonly #turns = new Map<Conversation, Kept[]>();
  readonly #scopeMarks = new Map<Conversation, readonly string[]>();
  readonly #pins = new Map<
    Conversation,
    { readonly key: string; readonly value: string; readonly cites: Kept | null }[]
  >();
  /** Marks of summary and replays: gone with the next change. */
  readonly #derived = new Map<
    Conversation,
    { summary: string | null; covers: readonly Kept[]; replays: string[] }
  >();
  #journals: JournalChurn | null = null;
  #operations = 0;

  private constructor(seed: number) {
    this.marks = new Marks(seed);
    this.#seeded = new Seeded(seed);
  }

  /** Churns a new store; it is left open. */
  static async run(
    path: string,
    seed: number,
    options: MemoryOptions = {},
  ): Promise<{ readonly memory: Memory; readonly churn: Churn }> {
    const churn = new Churn(seed);
    const memory = await openMemory(path, { clock: churn.#clock.now, ...options });
    churn.#journals = new JournalChurn(memory, churn.marks, churn.#seeded);
    await churn.#fill(memory);
    await churn.#expire();
    await churn.#deleteScope();
    return { memory, churn };
  }

  async #fill(memory: Memory): Promise<void> {
    for (let index = 0; index < SCOPES; index++) {
      const [tenantId, sessionId] = [this.marks.make(), this.marks.make()];
      const conversation = memory.conversation({ tenantId, sessionId });
      await conversation.create();
      this.#scopeMarks.set(conversation, [tenantId, sessionId]);
      this.#turns.set(conversation, []);
      this.#pins.set(conversation, []);
      this.#derived.set(conversation, { summary: null, covers: [], replays: [] });
    }
    const conversations = [...this.#turns.keys()];
    for (let put = 0; put < TURNS;) {
      const counts = conversations.map(() => this.#seeded.integer(1, 12));
      await Promise.all(
        conversations.map((conversation, index) => this.#putSeveral(conversation, counts[index]!)),
      );
      put += counts.reduce((sum, count) => sum + count);
      for (let change = 0; change < CHANGES_BETWEEN; change++) {
        await Promise.all(conversations.map((conversation) => this.#change(conversation)));
        await this.#journals!.change(this.#seeded.pick(conversations).scope);
      }
    }
  }

  /** A text that repeats its mark, so that every piece of it tells where it is from. */
  #text(): string {
    const mark = this.marks.make();
    return Array.from({ length: this.#seeded.integer(1, 60) }, () => mark).join(" ");
  }

  /** New turns, in one group. */
  async #putSeveral(conversation: Conversation, count: number): Promise<void> {
    const revision = await conversation.revision();
    this.#dropReplays(conversation);
    const puts = Array.from({ length: count }, (_, index) => {
      const ids = [this.marks.make(), this.marks.make()] as const;
      const turn = {
        turnId: ids[0],
        revision: 1,
        ids,
        content: this.#text(),
        expires: this.#seeded.chance(0.1),
      };
      this.#turns.get(conversation)!.push(turn);
      return this.#write(conversation, turn, revision + index);
    });
    await Promise.all(puts);
  }

  #write(conversation: Conversation, turn: Kept, expectedRevision: number): Promise<number> {
    const { scope } = conversation;
    const { turnId, ids, content, revision, expires } = turn;
    const messages = [messageOf(ids[1], content)];
    const metadata = { note: markOf(content) };
    return conversation.putTurn(turnOf(turnId, content, { scope, revision, messages, metadata }), {
      operationId: `operation ${this.#operations++}`,
      expectedRevision,
      expiresAt: expires ? new Date((NOON + 3_600) * 1_000) : undefined,
    });
  }

  async #change(conversation: Conversation): Promise<void> {
    const turns = this.#turns.get(conversation)!;
    if (turns.length === 0) return;
    const turn = this.#seeded.pick(turns);
    const what = this.#seeded.weighted<"revise" | "delete" | "pin" | "unpin" | "summary" | "replay">([
      [3, "revise"],
      [3, "delete"],
      [2, "pin"],
      [1, "unpin"],
      [1, "summary"],
      [1, "replay"],
    ]);
    if (what === "revise") await this.#revise(conversation, turn);
    else if (what === "delete") await this.#delete(conversation, turn);
    else if (what === "pin") await this.#pin(conversation, turn);
    else if (what === "unpin") await this.#unpin(conversation);
    else if (what === "summary") await this.#summarize(conversation);
    else await this.#replay(conversation);
  }

  async #revise(conversation: Conversation, turn: Kept): Promise<void> {
    this.#lost(conversation, turn);
    this.marks.kill([markOf(turn.content)]);
    turn.content = this.#text();
    turn.revision++;
    await this.#write(conversation, turn, await conversation.revision());
  }

  async #delete(conversation: Conversation, turn: Kept): Promise<void> {
    this.#forget(conversation, turn);
    const expectedRevision = await conversation.revision();
    await conversation.delete({ kind: "turn", key: turn.turnId, expectedRevision });
  }

  #forget(conversation: Conversation, turn: Kept): void {
    const turns = this.#turns.get(conversation)!;
    turns.splice(turns.indexOf(turn), 1);
    this.marks.kill([...turn.ids, markOf(turn.content)]);
    this.#lost(conversation, turn);
  }

  /** What derives from a turn goes when the turn changes. */
  #lost(conversation: Conversation, turn: Kept): void {
    const pins = this.#pins.get(conversation)!;
    for (const pin of pins.filter(({ cites }) => cites === turn)) {
      pins.splice(pins.indexOf(pin), 1);
      this.marks.kill([pin.key, markOf(pin.value)]);
    }
    const derived = this.#derived.get(conversation)!;
    if (derived.summary !== null && derived.covers.includes(turn)) {
      this.marks.kill([derived.summary]);
      derived.summary = null;
    }
    this.#dropReplays(conversation);
  }

  #dropReplays(conversation: Conversation): void {
    this.marks.kill(this.#derived.get(conversation)!.replays.splice(0));
  }

  async #pin(conversation: Conversation, turn: Kept): Promise<void> {
    const pins = this.#pins.get(conversation)!;
    if (pins.length >= 200) return;
    const key = this.marks.make();
    const value = this.#text();
    const cites = this.#seeded.chance(0.5) ? turn : null;
    const { scope } = conversation;
    this.#dropReplays(conversation);
    const stored = cites === null ? null : await this.#stored(conversation, turn);
    const source = stored === null ? {} : { source: sourceOf(stored) };
    const expectedRevision = await conversation.revision();
    await conversation.putPin(pinOf(key, value, { scope, ...source }), { expectedRevision });
    pins.push({ key, value, cites });
  }

  async #stored(
    conversation: Conversation,
    turn: Kept,
  ): Promise<Awaited<ReturnType<typeof readTurns>>[number]> {
    const turns = this.#turns.get(conversation)!;
    const last = turns.length - turns.indexOf(turn);
    for await (const stored of conversation.turns({ last })) {
      if (stored.turnId === turn.turnId) return stored;
    }
    throw new Error("The turn is not there");
  }

  async #unpin(conversation: Conversation): Promise<void> {
    const pins = this.#pins.get(conversation)!;
    const pin = pins.shift();
    if (pin === undefined) return;
    this.marks.kill([pin.key, markOf(pin.value)]);
    this.#dropReplays(conversation);
    await conversation.delete({ kind: "pin", key: pin.key, expectedRevision: await conversation.revision() });
  }

  async #summarize(conversation: Conversation): Promise<void> {
    const covers = this.#turns.get(conversation)!.slice(-8);
    const turns = await readTurns(conversation, undefined, { last: covers.length });
    const derived = this.#derived.get(conversation)!;
    const text = this.#text();
    if (derived.summary !== null) this.marks.kill([derived.summary]);
    this.#dropReplays(conversation);
    derived.summary = markOf(text);
    derived.covers = covers;
    await conversation.putSummary(await conversation.snapshot(), summaryOf(turns, text));
  }

  async #replay(conversation: Conversation): Promise<void> {
    const [key, text] = [this.marks.make(), this.#text()];
    this.#derived.get(conversation)!.replays.push(key, markOf(text));
    await conversation.cachePut(await conversation.snapshot(), key, { text }, { ttl: 86_400 });
  }

  /** Everything that has a deadline expires, in every scope. */
  async #expire(): Promise<void> {
    this.#clock.advance(3_600);
    for (const [conversation, turns] of this.#turns) {
      for (const turn of turns.filter(({ expires }) => expires)) this.#forget(conversation, turn);
      await conversation.snapshot();
    }
  }

  async #deleteScope(): Promise<void> {
    const [conversation] = this.#turns.keys();
    for (const turn of [...this.#turns.get(conversation!)!]) this.#forget(conversation!, turn);
    this.#journals!.forget(conversation!.scope);
    for (const { key, value } of this.#pins.get(conversation!)!) this.marks.kill([key, markOf(value)]);
    const { summary } = this.#derived.get(conversation!)!;
    this.marks.kill([...(summary === null ? [] : [summary]), ...this.#scopeMarks.get(conversation!)!]);
    await conversation!.delete({ kind: "scope", expectedRevision: await conversation!.revision() });
    this.#turns.delete(conversation!);
  }

  /** Scopes that are left, and how many turns each has. */
  get left(): readonly (readonly [Scope, number])[] {
    return [...this.#turns].map(([conversation, turns]) => [conversation.scope, turns.length]);
  }
}

/** A message that has the mark of its content wherever a message has text, and in the base64 that providers send. */
function messageOf(messageId: string, content: string): NewMessage & { readonly messageId: string } {
  const mark = markOf(content);
  const base64 = Buffer.from(mark).toString("base64");
  return {
    messageId,
    role: "assistant",
    name: mark,
    metadata: { note: mark, [mark]: base64 },
    content: [
      { type: "reasoning", text: mark, signature: base64, encrypted: mark },
      { type: "text", text: content },
      {
        type: "media",
        mediaType: "image/png",
        url: `https://example.com/${mark}`,
        filename: mark,
        alt: mark,
      },
      { type: "media", mediaType: "application/pdf", data: fileOf(mark, base64) },
      { type: "data", name: mark, json: { [mark]: [mark] } },
      { type: "opaque", format: mark, json: { [mark]: base64 } },
    ],
    toolCalls: [{ id: mark, name: mark, arguments: `{"cmd":"${mark}` }, {
      id: "c",
      name: "run",
      arguments: { mark },
    }],
  };
}

/** The bytes of a file that has a mark everywhere; of a few, more than one piece of them. */
function fileOf(mark: string, base64: string): Uint8Array {
  return new TextEncoder().encode(`${mark} ${base64}\n`.repeat(mark.endsWith("77") ? 12_000 : 30));
}

function markOf(text: string): string {
  return text.slice(0, MARK_CHARACTERS);
}

/** What a search through every byte of every file found. */
export interface Found {
  /** Marks in UTF-8 or in base64, whole. */
  readonly marks: ReadonlySet<string>;
  /** Beginnings of marks that are cut off, in UTF-8: long texts go on in other pages. */
  readonly fragments: readonly string[];
  /** Marks in UTF-16, either byte order. */
  readonly utf16: number;
}

/** Searches every file of a directory, or those whose name is wanted. */
export function searchFiles(directory: string, wants: (name: string) => boolean = () => true): Found {
  const marks = new Set<string>();
  const fragments: string[] = [];
  let utf16 = 0;
  const wide = Buffer.from(PREFIX, "utf16le");
  for (const { name } of Deno.readDirSync(directory)) {
    if (!wants(name)) continue;
    const bytes = Buffer.from(Deno.readFileSync(`${directory}/${name}`));
    for (let at = bytes.indexOf(PREFIX); at >= 0; at = bytes.indexOf(PREFIX, at + 1)) {
      const mark = bytes.toString("latin1", at, at + MARK_CHARACTERS);
      if (/^zqx\d{8}$/.test(mark)) marks.add(mark);
      else fragments.push(/^zqx\d*/.exec(mark)![0]);
    }
    for (let at = bytes.indexOf(BASE64_PREFIX); at >= 0; at = bytes.indexOf(BASE64_PREFIX, at + 1)) {
      const mark = Buffer.from(bytes.toString("latin1", at, at + BASE64_CHARACTERS), "base64").toString(
        "latin1",
      );
      if (/^zqx\d{8}$/.test(mark)) marks.add(mark);
    }
    for (const needle of [wide, Buffer.from(wide).swap16()]) {
      for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) utf16++;
    }
  }
  return { marks, fragments, utf16 };
}
