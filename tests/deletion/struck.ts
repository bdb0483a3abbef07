/** A store whose deletions, expiries and scrubs are struck, each on a copy of its own. */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "@holdfast/memory";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { after, derive, HARBOUR, NOON, ORCHARD, talk, turnOf } from "../conversations/samples.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { type DatabaseDump, dumpStore } from "../kit/store_dump.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { openBeside } from "../kit/test_store.ts";

/** The two files of a store that nobody has open. */
export type StoreImage = readonly [main: Uint8Array, ledger: Uint8Array];

/** What the store of every case holds: `t1` with all that derives from it, `t2` and `t3` that expire, another scope. */
async function fill(memory: Memory): Promise<void> {
  const conversation = await talk(memory, ["t1"]);
  for (const [index, turnId] of ["t2", "t3"].entries()) {
    const options = { operationId: turnId, expectedRevision: 1 + index, expiresAt: after(60) };
    await conversation.putTurn(turnOf(turnId), options);
  }
  await derive(conversation);
  await derive(await talk(memory, ["h1"], HARBOUR));
}

/** The scope's revision after {@linkcode fill}. */
export const REVISION = 5;

/** Makes the image that every case begins with. */
export async function makeImage(): Promise<StoreImage> {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  const memory = await openMemory(path, { clock: () => NOON * 1_000 });
  await fill(memory);
  await memory.close();
  return [await Deno.readFile(path), await Deno.readFile(`${path}.deletions`)];
}

/** One case's copy of the image. */
export class StruckStore implements AsyncDisposable {
  readonly path: string;
  readonly driver: FaultyDriver = new FaultyDriver(nodeSqlite);
  readonly #directory: TemporaryDirectory;

  private constructor(directory: TemporaryDirectory) {
    this.#directory = directory;
    this.path = directory.file("agent.db");
  }

  static async make([main, ledger]: StoreImage): Promise<StruckStore> {
    const store = new StruckStore(await TemporaryDirectory.make());
    await Deno.writeFile(store.path, main, { mode: 0o600 });
    await Deno.writeFile(`${store.path}.deletions`, ledger, { mode: 0o600 });
    return store;
  }

  /** Opens it through the driver that can fail. */
  open(second: number, busyTimeoutMs = 5_000): Promise<Memory> {
    return openMemory(this.path, {
      clock: () => (NOON + second) * 1_000,
      driver: this.driver,
      busyTimeoutMs,
    });
  }

  /** Opens it as another process would, without faults, lets upkeep run, checks, and gives what it holds. */
  async inspect(second: number): Promise<DatabaseDump> {
    const memory = await openMemory(this.path, { clock: () => (NOON + second) * 1_000 });
    try {
      await memory.conversation(ORCHARD).revision().catch(() => {});
      const { problems } = await memory.check();
      assert.deepEqual(problems, []);
    } finally {
      await memory.close();
    }
    return this.content();
  }

  /** What is committed in both files, without what a probe or a scrub changes. */
  content(): DatabaseDump {
    using main = openBeside(this.path);
    using ledger = openBeside(`${this.path}.deletions`);
    const dump = dumpStore((database) => database === "main" ? main : ledger);
    const { meta: _meta, schema: _schema, dirty: _dirty, ...tables } = dump.main;
    return { ...tables, events: dump.ledger.events! };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.driver.closeAll();
    await this.#directory[Symbol.asyncDispose]();
  }
}
