/** A history of sessions and records that change hands, are erased, restored and imported, beside what must be left of it. */

import assert from "node:assert/strict";
import {
  defineKind,
  type Memory,
  openMemory,
  type Receipt,
  restoreMemory,
  type Watermark,
} from "@holdfast/memory";
import { z } from "zod";
import type { Seeded } from "../model/records/seeded.ts";

const NOTE = defineKind("note", z.string());
const TENANTS = ["acme", "globex"];
const PEOPLE = ["gwen", "owen", null];
const NAMES = ["a", "b", "c", "d"];

/** A session or a record: whose it is, and what was said in it, each with a word of its own. */
interface Owned {
  readonly subject: string | null;
  readonly words: readonly string[];
}

/** By `session acme a` or `note acme a`. */
type Held = ReadonlyMap<string, Owned>;

/** What the ledger says: who got what, what went with whom, and what was deleted for ever. */
type Event =
  | { readonly of: string; readonly subject: string | null }
  | { readonly erased: string; readonly subject: string | undefined }
  | { readonly deleted: string };

/** A copy of everything, and how many events there were. */
interface Copy {
  readonly held: Held;
  readonly events: number;
}

interface Backup extends Copy {
  readonly path: string;
}

interface Export extends Copy {
  readonly lines: readonly string[];
}

/** What is left of a copy after events. */
function after(held: Held, events: readonly Event[]): Held {
  const left = new Map(held);
  for (const event of events) {
    if ("deleted" in event) left.delete(event.deleted);
    else if ("of" in event) {
      const found = left.get(event.of);
      if (found !== undefined) left.set(event.of, { ...found, subject: event.subject });
    } else {
      for (const [key, { subject }] of left) {
        const isTheirs = event.subject === undefined || subject === event.subject;
        if (key.split(" ")[1] === event.erased && isTheirs) left.delete(key);
      }
    }
  }
  return left;
}

/** How often what was done, so that a test can tell that it did everything. */
export type Done = Record<string, number>;

/** The store and the model, side by side. */
export class Ownership implements AsyncDisposable {
  readonly #directory: string;
  readonly #random: Seeded;
  readonly #done: Done;
  #path: string;
  #ledger: string;
  #memory: Memory;
  #held: Held = new Map();
  readonly #events: Event[] = [];
  readonly #deleted = new Set<string>();
  readonly #receipts: Receipt[] = [];
  readonly #backups: Backup[] = [];
  readonly #exports: Export[] = [];
  #files = 0;
  #words = 0;

  private constructor(directory: string, random: Seeded, done: Done, memory: Memory) {
    this.#directory = directory;
    this.#random = random;
    this.#done = done;
    this.#memory = memory;
    this.#path = `${directory}/0.db`;
    this.#ledger = `${directory}/0.db.deletions`;
  }

  static async make(directory: string, random: Seeded, done: Done): Promise<Ownership> {
    const memory = await openMemory(`${directory}/0.db`, { kinds: [NOTE] });
    return new Ownership(directory, random, done, memory);
  }

  /** Does one thing, and requires that the store and the model agree. */
  async step(): Promise<void> {
    const act = this.#random.weighted<() => Promise<string>>([
      [8, () => this.#say()],
      [5, () => this.#put()],
      [5, () => this.#label()],
      [2, () => this.#erase()],
      [1, () => this.#delete()],
      [1, () => this.#backUp()],
      [1, () => this.#export()],
      [1, () => this.#restore()],
      [1, () => this.#import()],
      [1, () => this.#reopen()],
    ]);
    const what = await act();
    this.#done[what] = (this.#done[what] ?? 0) + 1;
    await this.requireSame();
  }

  /** Requires it of every list, every receipt and the whole store. */
  async requireSame(): Promise<void> {
    for (const tenantId of TENANTS) {
      for (const subject of [undefined, ...PEOPLE.filter((person) => person !== null)]) {
        const options = { order: "id", ...subject === undefined ? {} : { subject } } as const;
        const { items } = await this.#memory.sessions(tenantId, options);
        const found = items.map(({ sessionId }) => `session ${tenantId} ${sessionId}`);
        assert.deepEqual(found, this.#keysOf(`session ${tenantId}`, subject), `${subject}`);
      }
      const { items } = await this.#memory.records.of(NOTE).list(tenantId);
      assert.deepEqual(items.map(({ key }) => `note ${tenantId} ${key}`), this.#keysOf(`note ${tenantId}`));
    }
    for (const [key, { words }] of this.#held) {
      assert.deepEqual(await this.#wordsOf(key), words.toSorted(), key);
    }
    for (const receipt of this.#receipts) {
      const { valid, remains } = await this.#memory.verifyReceipt(receipt);
      assert.deepEqual([valid, remains], [true, {}]);
    }
    assert.deepEqual((await this.#memory.check()).problems, []);
  }

  #keysOf(begin: string, subject?: string): readonly string[] {
    return [...this.#held].filter(([key, owned]) =>
      key.startsWith(begin) && (subject === undefined || owned.subject === subject)
    ).map(([key]) => key).sort();
  }

  async #wordsOf(key: string): Promise<readonly string[]> {
    const [sort, tenantId, name] = key.split(" ") as [string, string, string];
    if (sort === "note") {
      const found = await this.#memory.records.of(NOTE).get({ tenantId, key: name });
      return found === null ? [] : [found.value];
    }
    const turns = await Array.fromAsync(this.#memory.conversation({ tenantId, sessionId: name }).turns());
    return turns.map(({ messages }) => messages[0]!.content).sort();
  }

  #place(
    sort: "session" | "note",
  ): { readonly key: string; readonly tenantId: string; readonly name: string } {
    const [tenantId, name] = [this.#random.pick(TENANTS), this.#random.pick(NAMES)];
    return { key: `${sort} ${tenantId} ${name}`, tenantId, name };
  }

  #word(): string {
    return `word${this.#words++}x`;
  }

  async #say(): Promise<string> {
    const { key, tenantId, name } = this.#place("session");
    if (this.#deleted.has(key)) return "nothing";
    const content = this.#word();
    const found = this.#held.get(key);
    const person = found === undefined ? this.#random.pick(PEOPLE) : found.subject;
    await this.#memory.conversation({ tenantId, sessionId: name }).append([{ role: "user", content }], {
      ...person === null ? {} : { subject: person },
    });
    this.#set(key, { subject: person, words: [...found?.words ?? [], content] });
    return "append";
  }

  async #put(): Promise<string> {
    const { key, tenantId, name } = this.#place("note");
    const notes = this.#memory.records.of(NOTE);
    const word = this.#word();
    const found = this.#held.get(key);
    if (found !== undefined) {
      await notes.update({ tenantId, key: name }, () => word);
      this.#set(key, { ...found, words: [word] });
      return "update";
    }
    const subject = this.#random.pick(PEOPLE);
    const options = { expectedRevision: null, ...subject === null ? {} : { subject } };
    await notes.put({ tenantId, key: name }, word, options);
    this.#set(key, { subject, words: [word] });
    return "put";
  }

  async #label(): Promise<string> {
    const key = this.#random.pick([...this.#held.keys(), ""]);
    const found = this.#held.get(key);
    if (found === undefined) return "nothing";
    const [sort, tenantId, name] = key.split(" ") as [string, string, string];
    const subject = this.#random.pick(PEOPLE);
    if (sort === "note") await this.#memory.records.label({ tenantId, kind: "note", key: name }, subject);
    else await this.#memory.conversation({ tenantId, sessionId: name }).describe({ subject });
    if (subject !== found.subject) this.#events.push({ of: key, subject });
    this.#set(key, { ...found, subject });
    return "label";
  }

  async #erase(): Promise<string> {
    const tenantId = this.#random.pick(TENANTS);
    const subject = this.#random.pick(["gwen", "owen", "gwen", "owen", undefined]);
    const target = subject === undefined ? { tenantId } : { tenantId, subject };
    this.#receipts.push(await this.#memory.erase(target));
    const event = { erased: tenantId, subject };
    this.#events.push(event);
    this.#held = after(this.#held, [event]);
    return subject === undefined ? "erase a tenant" : "erase a person";
  }

  async #delete(): Promise<string> {
    const key = this.#random.pick([...this.#held.keys(), ""]);
    const [sort, tenantId, sessionId] = key.split(" ") as [string, string, string];
    if (sort !== "session" || this.#deleted.size > 3) return "nothing";
    const conversation = this.#memory.conversation({ tenantId, sessionId });
    await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
    this.#events.push({ deleted: key });
    this.#deleted.add(key);
    this.#held = after(this.#held, [{ deleted: key }]);
    return "delete";
  }

  async #backUp(): Promise<string> {
    const path = `${this.#directory}/${++this.#files}.backup`;
    await this.#memory.backup(path);
    this.#backups.push({ path, held: this.#held, events: this.#events.length });
    return "backup";
  }

  async #export(): Promise<string> {
    const lines = await Array.fromAsync(this.#memory.exportLines({ includeContent: true }));
    this.#exports.push({ lines, held: this.#held, events: this.#events.length });
    return "export";
  }

  async #restore(): Promise<string> {
    if (this.#backups.length === 0) return "nothing";
    const { path, held, events } = this.#random.pick(this.#backups);
    const watermark: Watermark = await this.#memory.deletionWatermark();
    await this.#memory.close();
    this.#path = `${this.#directory}/${++this.#files}.db`;
    const options = { deletionPath: this.#ledger, watermark, kinds: [NOTE] };
    this.#memory = await restoreMemory(path, this.#path, options);
    this.#held = after(held, this.#events.slice(events));
    this.#requireGone();
    return "restore";
  }

  /** No word of what was erased before is in the restored file. */
  #requireGone(): void {
    const file = new TextDecoder("latin1").decode(Deno.readFileSync(this.#path));
    const live = new Set([...this.#held.values()].flatMap(({ words }) => words));
    const found = new Set(file.match(/word[0-9]+x/g) ?? []);
    assert.deepEqual([...found].filter((word) => !live.has(word)), []);
  }

  /** What was not erased or deleted since comes back, with whose it is by now; what is there keeps what it says. */
  async #import(): Promise<string> {
    if (this.#exports.length === 0) return "nothing";
    const { lines, held, events } = this.#random.pick(this.#exports);
    await this.#memory.importLines(lines);
    for (const [key, { subject, words }] of after(held, this.#events.slice(events))) {
      const found = this.#held.get(key);
      if (found === undefined) this.#set(key, { subject, words });
      else if (key.startsWith("session")) {
        this.#set(key, { ...found, words: [...new Set([...found.words, ...words])] });
      }
    }
    return "import";
  }

  async #reopen(): Promise<string> {
    await this.#memory.close();
    this.#memory = await openMemory(this.#path, { deletionPath: this.#ledger, kinds: [NOTE] });
    return "reopen";
  }

  #set(key: string, owned: Owned): void {
    this.#held = new Map([...this.#held, [key, owned]]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#memory.close();
  }
}
