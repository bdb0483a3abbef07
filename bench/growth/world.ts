/** Creates the stores that a report on growth measures. They differ only in the number of turns or of scopes. */

import {
  type Conversation,
  defineKind,
  type Journal,
  type Memory,
  openMemory,
  type RecordKind,
  type Scope,
} from "../../mod.ts";
import { historyOf, LIMITS, openHistory } from "../history.ts";
import { factOf, identityOf, TENANT } from "../stores.ts";

/** The size of a store. */
export interface Holding {
  /** The number of turns of the measured conversation, and of entries of the measured journal. */
  readonly turns: number;
  /** The number of scopes, including that conversation. */
  readonly scopes: number;
}

/** The number of facts of the measured tenant; every other tenant has one. */
const FACTS = 100;

/** A kind of the caller's: each tenant has one record of it for each of its facts. */
export const NOTE: RecordKind<string> = defineKind("note", {
  "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value: value as string }) },
});

const OPTIONS = { limits: LIMITS, kinds: [NOTE] };

/** The number of concurrent calls, which share commits. */
const AT_ONCE = 64;

/** A store that is measured, with a copy of its first files for operations that use a store up. */
export class World implements AsyncDisposable {
  readonly memory: Memory;
  readonly conversation: Conversation;
  readonly journal: Journal;
  readonly #folder: string;
  #names = 0;

  constructor(folder: string, memory: Memory) {
    this.#folder = folder;
    this.memory = memory;
    this.conversation = historyOf(memory);
    this.journal = memory.journal(this.conversation.scope);
  }

  /** Creates a store in a new folder. */
  static async make(folder: string, { turns, scopes }: Holding): Promise<World> {
    await Deno.mkdir(folder);
    const seed = `${folder}/seed.db`;
    const { memory } = await openHistory(seed, turns);
    await memory.journal(historyOf(memory).scope).append(
      Array.from({ length: turns }, (_, index) => ({ uuid: `entry-${index}`, json: { text: NEW_TEXT } })),
    );
    const fills = [
      ...Array.from({ length: FACTS }, (_, index) => () => putFact(memory, TENANT, index)),
      ...Array.from({ length: scopes - 1 }, (_, index) => () => fillScope(memory, index)),
    ];
    while (fills.length > 0) await Promise.all(fills.splice(-AT_ONCE).map((fill) => fill()));
    await memory.close();
    await putNotes(seed);
    const path = `${folder}/live.db`;
    await copyStore(seed, path);
    return new World(folder, await openMemory(path, OPTIONS));
  }

  get scope(): Scope {
    return this.conversation.scope;
  }

  /** Returns a new name. */
  newName(): string {
    return `name-${this.#names++}`;
  }

  /** Returns the path of a file that does not exist. */
  newPath(): string {
    return `${this.#folder}/${this.newName()}`;
  }

  /** Copies the store as it was at first; returns the path of the copy. */
  async copy(): Promise<string> {
    const path = this.newPath();
    await copyStore(`${this.#folder}/seed.db`, path);
    return path;
  }

  /** Copies the store as it was at first, and opens the copy. */
  async openCopy(): Promise<{ path: string; memory: Memory }> {
    const path = await this.copy();
    return { path, memory: await openMemory(path, OPTIONS) };
  }

  /** Closes a copy and removes its files. */
  async discard(path: string, memory?: Memory): Promise<void> {
    await memory?.close();
    for (const suffix of SUFFIXES) await Deno.remove(path + suffix);
  }

  /** Appends a turn; returns its id. */
  async append(): Promise<string> {
    const { turnId } = await this.conversation.append([{ role: "user", content: NEW_TEXT }]);
    return turnId;
  }

  /** Deletes a turn or a pin that an operation added. */
  async delete(kind: "turn" | "pin", key: string): Promise<void> {
    await this.conversation.delete({ kind, key, expectedRevision: await this.conversation.revision() });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.memory.close();
  }
}

/** The text of new turns: 500 characters, without words of the questions. */
export const NEW_TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8)
  .slice(
    0,
    500,
  );

async function putFact(memory: Memory, tenantId: string, index: number): Promise<void> {
  await memory.records.put({ ...identityOf(index), tenantId }, factOf(index), {
    expectedRevision: null,
    ttl: 86_400,
  });
}

/** Puts a note for each fact of the measured tenant. */
async function putNotes(path: string): Promise<void> {
  await using memory = await openMemory(path, OPTIONS);
  const notes = memory.records.of(NOTE);
  await Promise.all(
    Array.from(
      { length: FACTS },
      (_, index) =>
        notes.put({ tenantId: TENANT, key: `src/file-${index}.ts` }, NEW_TEXT, { expectedRevision: null }),
    ),
  );
}

async function fillScope(memory: Memory, index: number): Promise<void> {
  const scope = { tenantId: `tenant-${index}`, sessionId: "ticket-4711" };
  await Promise.all([
    memory.conversation(scope).append([{ role: "user", content: NEW_TEXT }]),
    putFact(memory, scope.tenantId, 0),
  ]);
}

const SUFFIXES = ["", ".deletions"];

async function copyStore(from: string, to: string): Promise<void> {
  for (const suffix of SUFFIXES) await Deno.copyFile(from + suffix, to + suffix);
}
