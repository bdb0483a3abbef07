/** The stores that a report on growth measures: equal in all but one number, that of turns or of scopes. */

import { type Conversation, type Memory, openMemory, type Scope } from "../../mod.ts";
import { historyOf, LIMITS, openHistory } from "../history.ts";
import { factOf, identityOf, TENANT } from "../stores.ts";

/** How much a store holds. */
export interface Holding {
  /** Turns of the conversation that is asked. */
  readonly turns: number;
  /** Scopes, that conversation's among them. */
  readonly scopes: number;
}

/** Facts of the tenant that is asked; every other tenant has one. */
const FACTS = 100;

/** Calls that are made at once, so that they share commits. */
const AT_ONCE = 64;

/** One store that is asked, and its files as they were at first, for operations that use a store up. */
export class World implements AsyncDisposable {
  readonly memory: Memory;
  readonly conversation: Conversation;
  readonly #folder: string;
  #names = 0;

  constructor(folder: string, memory: Memory) {
    this.#folder = folder;
    this.memory = memory;
    this.conversation = historyOf(memory);
  }

  /** Makes a store in a folder of its own. */
  static async make(folder: string, { turns, scopes }: Holding): Promise<World> {
    await Deno.mkdir(folder);
    const seed = `${folder}/seed.db`;
    const { memory } = await openHistory(seed, turns);
    const fills = [
      ...Array.from({ length: FACTS }, (_, index) => () => putFact(memory, TENANT, index)),
      ...Array.from({ length: scopes - 1 }, (_, index) => () => fillScope(memory, index)),
    ];
    while (fills.length > 0) await Promise.all(fills.splice(-AT_ONCE).map((fill) => fill()));
    await memory.close();
    const path = `${folder}/live.db`;
    await copyStore(seed, path);
    return new World(folder, await openMemory(path, { limits: LIMITS }));
  }

  get scope(): Scope {
    return this.conversation.scope;
  }

  /** A name that was not given before. */
  newName(): string {
    return `name-${this.#names++}`;
  }

  /** The path of a file that is not there. */
  newPath(): string {
    return `${this.#folder}/${this.newName()}`;
  }

  /** The path of a copy of the store as it was at first, closed. */
  async copy(): Promise<string> {
    const path = this.newPath();
    await copyStore(`${this.#folder}/seed.db`, path);
    return path;
  }

  /** The same, opened. */
  async openCopy(): Promise<{ path: string; memory: Memory }> {
    const path = await this.copy();
    return { path, memory: await openMemory(path, { limits: LIMITS }) };
  }

  /** Closes a copy and removes its files. */
  async discard(path: string, memory?: Memory): Promise<void> {
    await memory?.close();
    for (const suffix of SUFFIXES) await Deno.remove(path + suffix);
  }

  /** Appends a turn; gives its id. */
  async append(): Promise<string> {
    const { turnId } = await this.conversation.append([{ role: "user", content: NEW_TEXT }]);
    return turnId;
  }

  /** Deletes a turn or a pin, so that the store holds what it held before. */
  async delete(kind: "turn" | "pin", key: string): Promise<void> {
    await this.conversation.delete({ kind, key, expectedRevision: await this.conversation.revision() });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.memory.close();
  }
}

/** What is said anew: 500 characters, none of them asked for. */
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

async function fillScope(memory: Memory, index: number): Promise<void> {
  const scope = { tenantId: `tenant-${index}`, sessionId: "spring" };
  await Promise.all([
    memory.conversation(scope).append([{ role: "user", content: NEW_TEXT }]),
    putFact(memory, scope.tenantId, 0),
  ]);
}

const SUFFIXES = ["", ".deletions"];

async function copyStore(from: string, to: string): Promise<void> {
  for (const suffix of SUFFIXES) await Deno.copyFile(from + suffix, to + suffix);
}
