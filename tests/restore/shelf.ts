/** A directory with a store, its backups, and what was restored from them. */

import { hash } from "node:crypto";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import type { SqliteDriver } from "../../src/engines/sqlite/drivers/driver.ts";
import { StorageError } from "../../src/errors.ts";
import {
  type BackupReport,
  type Memory,
  type MemoryOptions,
  openMemory,
  restoreMemory,
  type RestoreOptions,
  type Watermark,
} from "../../mod.ts";
import { AlteredDriver, OLD_VERSION } from "../kit/altered_driver.ts";
import { assertIntact } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

/** The scope that tests talk in. */
export const SCOPE = { tenantId: "orchard", sessionId: "spring" } as const;

/** A fact of a tenant. */
export const FACT = { tenantId: "orchard", kind: "fact", key: "graft" } as const;

/** What the fact says. */
export function factOf(text: string): { schema: 1; text: string; source: string; reviewed: boolean } {
  return { schema: 1, text, source: "chat-1", reviewed: false };
}

/** A driver for each way of keeping a journal. */
export const DRIVERS: readonly (readonly [journal: string, driver: () => SqliteDriver])[] = [
  ["write-ahead log", () => nodeSqlite],
  ["rollback journal", () => new AlteredDriver(nodeSqlite, OLD_VERSION)],
];

/** Opens what tests ask for, and at the end checks all that is still live and closes it. */
export class Shelf implements AsyncDisposable {
  readonly #directory: TemporaryDirectory;
  readonly #driver: SqliteDriver;
  readonly #opened: Memory[] = [];
  /** Set by tests that damage something deliberately: no check at the end. */
  damaged = false;

  private constructor(directory: TemporaryDirectory, driver: SqliteDriver) {
    this.#directory = directory;
    this.#driver = driver;
  }

  static async make(driver: SqliteDriver = nodeSqlite): Promise<Shelf> {
    return new Shelf(await TemporaryDirectory.make(), driver);
  }

  /** The path of a name. */
  at(name: string): string {
    return this.#directory.file(name);
  }

  /** Every name there is, sorted. */
  names(): readonly string[] {
    return [...Deno.readDirSync(this.#directory.path)].map(({ name }) => name).sort();
  }

  /** Opens the store, or another one of the same ledger. */
  async open(options: MemoryOptions = {}, name = "agent.db"): Promise<Memory> {
    const deletionPath = this.at("agent.db.deletions");
    return this.#keep(await openMemory(this.at(name), { deletionPath, driver: this.#driver, ...options }));
  }

  /** Restores a backup next to the store, with a watermark. */
  async restore(
    backup: string,
    destination: string,
    watermark: Watermark,
    options: Partial<RestoreOptions> = {},
  ): Promise<Memory> {
    return this.#keep(
      await restoreMemory(this.at(backup), this.at(destination), {
        deletionPath: this.at("agent.db.deletions"),
        watermark,
        driver: this.#driver,
        ...options,
      } as RestoreOptions),
    );
  }

  /** A digest of every file by name, to require that nothing changes. */
  digests(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.names().map((name) => [name, hash("sha256", Deno.readFileSync(this.at(name)))]),
    );
  }

  #keep(memory: Memory): Memory {
    this.#opened.push(memory);
    return memory;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const memory of this.#opened) if (!this.damaged) await checkIfLive(memory);
    } finally {
      for (const memory of this.#opened) await memory.close();
      await this.#directory[Symbol.asyncDispose]();
    }
  }
}

async function checkIfLive(memory: Memory): Promise<void> {
  try {
    await memory.deletionWatermark();
  } catch (error) {
    if (error instanceof StorageError && ["CLOSED", "REPLACED"].includes(error.code)) return;
    throw error;
  }
  await assertIntact(memory);
}

/** A store with some of everything, and a backup of it. */
export async function fill(memory: Memory): Promise<{ readonly turnIds: readonly string[] }> {
  const talk = memory.conversation(SCOPE);
  const turnIds: string[] = [];
  for (
    const text of [
      "The pears were grafted in March.",
      "The well is forty metres deep.",
      "Prune before frost.",
    ]
  ) {
    turnIds.push((await talk.append([{ role: "user", content: text }])).turnId);
  }
  await memory.records.put(FACT, factOf("The graft took."), { expectedRevision: null, ttl: 3_600 });
  return { turnIds };
}

/** The texts of a scope's turns, oldest first. */
export async function textsOf(memory: Memory): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const turn of memory.conversation(SCOPE).turns()) texts.push(turn.messages[0]!.content);
  return texts;
}

/** A report without what is random in every store. */
export function outline({ of, generation, watermark }: BackupReport): object {
  return { of, generation, sequence: watermark.sequence };
}

/** What a closed store has deleted. */
export async function watermarkOf(shelf: Shelf, name = "agent.db"): Promise<Watermark> {
  await using memory = await openMemory(shelf.at(name), {
    deletionPath: shelf.at("agent.db.deletions"),
    readOnly: true,
  });
  return await memory.deletionWatermark();
}
