/** Inspects what a killed child left of a lineage: which store is live, its content, and its copies. */

import assert from "node:assert/strict";
import {
  type Memory,
  type MemoryOptions,
  nodeSqlite,
  openMemory,
  restoreMemory,
  StorageError,
  type Watermark,
} from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import { firstHead, ObservedStore } from "../model/records/observed_store.ts";
import type { Seeded } from "../model/records/seeded.ts";
import { type Holding, liesBetween, type Outline, outlineOf } from "./holding.ts";
import { assertChain } from "./inspect.ts";
import { destinationOf, LEDGER, type LineageCall, OTHER, type StoreName } from "./lineage.ts";
import type { LineageTruth, StoreCall } from "./lineage_truth.ts";

/** Outcome of the call in flight; null if it is unknown, or there was none. */
export type Outcome = "applied" | "absent" | null;

/** How a directory is inspected. */
export interface LookParts {
  readonly truth: LineageTruth;
  readonly seeded: Seeded;
  readonly nowMs: number;
  readonly old: boolean;
}

/** One inspection of one directory. */
export class LineageLook {
  readonly #directory: string;
  readonly #truth: LineageTruth;
  readonly #seeded: Seeded;
  readonly #nowMs: number;
  readonly #options: MemoryOptions;

  constructor(directory: string, { truth, seeded, nowMs, old }: LookParts) {
    this.#directory = directory;
    this.#truth = truth;
    this.#seeded = seeded;
    this.#nowMs = nowMs;
    this.#options = { clock: () => nowMs, driver: old ? oldLibrary : nodeSqlite };
  }

  /** Verifies everything, and completes some of the unfinished calls. */
  async take(): Promise<Outcome> {
    const call = this.#truth.inFlight;
    await this.#requireFenced(this.#truth.fenced);
    const outcome = await this.#settle(call);
    await this.#requireStore("main");
    await this.#requireStore("other");
    await this.#requireCopy(call);
    this.#tidy(call);
    return outcome;
  }

  #at(name: string): string {
    return `${this.#directory}/${name}`;
  }

  #has(name: string): boolean {
    return this.#names().includes(name);
  }

  #names(): readonly string[] {
    return [...Deno.readDirSync(this.#directory)].map(({ name }) => name).sort();
  }

  #open(name: string): Promise<Memory> {
    const ledger = name === OTHER ? {} : { deletionPath: this.#at(LEDGER) };
    return openMemory(this.#at(name), { ...this.#options, ...ledger });
  }

  /** Whether a store opens; if it does not, the error has to say why. */
  async #opens(name: string): Promise<true | string> {
    try {
      await (await this.#open(name)).close();
      return true;
    } catch (error) {
      if (error instanceof StorageError) return error.code;
      throw error;
    }
  }

  /** A store that a restore has replaced says so, and can be removed. */
  async #requireFenced(names: string[]): Promise<void> {
    for (const name of names.splice(0)) {
      assert.equal(await this.#opens(name), "REPLACED", `${name} was fenced`);
      for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfThere(this.#at(name + suffix));
    }
  }

  #settle(call: LineageCall | null): Promise<Outcome> {
    if (call === null) return Promise.resolve(null);
    if (call.op === "export") return Promise.resolve(this.#settleExport(call.to));
    if ("in" in call) return this.#settleCall(call);
    return call.op === "restore" ? this.#settleRestore(call) : this.#settleBackup(call);
  }

  /** Lines that were not written completely are removed. */
  #settleExport(name: string): null {
    removeIfThere(this.#at(name));
    this.#truth.inFlight = null;
    return null;
  }

  async #settleRestore(call: LineageCall & { readonly op: "restore" }): Promise<Outcome> {
    const runsAgain = this.#seeded.chance(0.4);
    const isDone = runsAgain ? await this.#runAgain(call) : await this.#askBoth(call);
    if (!isDone && !runsAgain && this.#seeded.chance(0.5)) {
      // It stays as it is until the next restore.
      this.#truth.inFlight = null;
      return "absent";
    }
    if (!isDone && !runsAgain) await this.#runAgain(call);
    this.#truth.happened();
    await this.#requireFenced(this.#truth.fenced);
    assert.deepEqual(this.#names().filter((name) => name.startsWith(`${call.to}.`)), []);
    return isDone ? "applied" : "absent";
  }

  /** Exactly one of the two is live, in either order of opening. Returns whether that is the new one. */
  async #askBoth({ from, to }: LineageCall & { readonly op: "restore" }): Promise<boolean> {
    const { live } = this.#truth;
    const found = new Map<string, true | string>();
    for (const name of this.#seeded.shuffled([live, to])) found.set(name, await this.#opens(name));
    const isDone = found.get(to) === true;
    assert.deepEqual([found.get(live), found.get(to)], isDone ? ["REPLACED", true] : [true, "RESTORE"]);
    if (isDone) await assert.rejects(this.#restore(from, to), { code: "EXISTS" });
    return isDone;
  }

  /**
   * Run again, a restore succeeds unless it has already made its destination live, which then stays. Returns whether
   * it had.
   */
  async #runAgain({ from, to }: LineageCall & { readonly op: "restore" }): Promise<boolean> {
    try {
      await using memory = await this.#restore(from, to);
      assert.equal(memory.restored!.generation, this.#truth.generation + 1, "a store was live in between");
      return false;
    } catch (error) {
      if (!(error instanceof StorageError && error.code === "EXISTS")) throw error;
      assert.equal(await this.#opens(to), true, "what is there is live");
      return true;
    }
  }

  #restore(from: string, to: string): Promise<Memory> {
    return restoreMemory(this.#at(from), this.#at(to), {
      ...this.#options,
      deletionPath: this.#at(LEDGER),
      watermark: this.#beginning(),
    });
  }

  /** Every ledger of the lineage has this place. */
  #beginning(): Watermark {
    const { lineage } = this.#truth;
    return { lineage, sequence: 0, head: firstHead(lineage) };
  }

  /** A copy is complete under its name, or missing: then it is made again. The next call removes its work name. */
  async #settleBackup(call: LineageCall & { readonly op: "backup" | "exportLedger" }): Promise<Outcome> {
    const isThere = this.#has(call.to);
    const isRestored = call.op === "backup" || this.#truth.backups.size > 0;
    if (isThere && isRestored && this.#seeded.chance(0.5)) {
      // The restore from it that follows removes the name.
      this.#truth.happened();
      return "applied";
    }
    await using memory = await this.#open(this.#truth.live);
    const destination = this.#at(call.to);
    const again = call.op === "backup" ? memory.backup(destination) : memory.exportLedger(destination);
    if (isThere) await assert.rejects(again, { code: "EXISTS" });
    else await again;
    this.#truth.happened();
    return isThere ? "applied" : "absent";
  }

  /**
   * It is stored entirely or not at all; of an import some lines may be, and importing the same lines completes it.
   */
  async #settleCall(call: StoreCall): Promise<Outcome> {
    const before = this.#outlineOf(this.#truth.stores[call.in].holding);
    const after = this.#outlineOf(this.#truth.after(call));
    await using memory = await this.#open(call.in === "main" ? this.#truth.live : OTHER);
    let found = await outlineOf(memory);
    if (call.op === "import") {
      assert(liesBetween(found, before, after), "an import is stored in part");
      await memory.importLines(Deno.readTextFileSync(this.#at(call.from)));
      found = await outlineOf(memory);
      assert.deepEqual(found, after, "the same lines complete an import");
      this.#truth.happened();
      return null;
    }
    const isThere = isSame(found, after);
    if (!isThere) assert.deepEqual(found, before, `in flight: ${JSON.stringify(call)}`);
    if (isThere) this.#truth.happened();
    this.#truth.inFlight = null;
    return isSame(before, after) ? null : isThere ? "applied" : "absent";
  }

  #outlineOf(holding: Holding): Outline {
    return holding.outline(this.#nowMs);
  }

  /** The live store holds what was acknowledged and nothing else, and is intact. */
  async #requireStore(name: StoreName): Promise<void> {
    const [path, deletionPath] = name === "main"
      ? [this.#at(this.#truth.live), this.#at(LEDGER)]
      : [this.#at(OTHER), `${this.#at(OTHER)}.deletions`];
    const through = this.#options.driver!;
    const clock = (): number => this.#nowMs;
    const store = await ObservedStore.open({ file: path }, { clock, through, deletionPath });
    try {
      assertChain(store);
      assert.deepEqual(await outlineOf(store.memory), this.#outlineOf(this.#truth.stores[name].holding));
      for (const receipt of name === "main" ? this.#truth.receipts : []) {
        const report = await store.memory.verifyReceipt(receipt);
        assert.equal(report.valid, true, JSON.stringify(report));
      }
      assert.deepEqual((await store.memory.check()).problems, []);
    } finally {
      await store.memory.close();
    }
  }

  /** The unfinished copy, or any: it has only what it should have, and a restore elsewhere returns that. */
  async #requireCopy(call: LineageCall | null): Promise<void> {
    const { backups, ledgers, stores: { main } } = this.#truth;
    if (backups.size === 0) return;
    const backup = call?.op === "backup" ? call.to : this.#seeded.pick([...backups.keys()]);
    const copied = backups.get(backup)!;
    assertOnlyMarks(this.#at(backup), copied.holding);
    const applied = this.#placeIn(backup, "applied");
    const fitting = [...ledgers].filter(([name, { generation }]) =>
      this.#placeIn(name, "count") >= applied && generation >= copied.generation
    );
    const own = [LEDGER, { deletions: main.deletions.length }] as const;
    const [ledger, { deletions }] = call?.op === "exportLedger"
      ? fitting.find(([name]) => name === call.to) ?? own
      : this.#seeded.pick([own, ...fitting]);
    const directory = Deno.makeTempDirSync({ prefix: "holdfast-copy-" });
    try {
      const isOwn = ledger === LEDGER;
      if (isOwn) Deno.copyFileSync(this.#at(ledger), `${directory}/copy.deletions`);
      await using restored = await restoreMemory(this.#at(backup), `${directory}/copy`, {
        ...this.#options,
        deletionPath: `${directory}/copy.deletions`,
        watermark: this.#beginning(),
        ...(isOwn ? {} : { ledgerExport: this.#at(ledger) }),
      });
      const expected = this.#outlineOf(this.#truth.restoredFrom(copied, deletions));
      assert.deepEqual(await outlineOf(restored), expected, `${backup} with ${ledger}`);
      assert.deepEqual((await restored.check()).problems, []);
    } finally {
      Deno.removeSync(directory, { recursive: true });
    }
  }

  /** How many deletions a copy has, including expiries, which no call requested. */
  #placeIn(name: string, column: "applied" | "count"): number {
    const connection = nodeSqlite.open(this.#at(name), { readOnly: true });
    try {
      return connection.prepare(`SELECT ${column} FROM meta`).get([])![0] as number;
    } finally {
      connection.close();
    }
  }

  /** Removes copies that are no longer kept; any other file must be known, or belong to an unfinished restore. */
  #tidy(call: LineageCall | null): void {
    this.#truth.forgetOldCopies();
    const { live, backups, ledgers, exports } = this.#truth;
    const stores = [live, LEDGER, OTHER, `${OTHER}.deletions`];
    // A journal that has nothing to roll back stays until the next write.
    const known = new Set([...stores, ...stores.map((name) => `${name}-journal`)]);
    for (const copies of [backups, ledgers, exports]) for (const name of copies.keys()) known.add(name);
    for (const name of this.#names()) {
      if (known.has(name) || name.startsWith(destinationOf(this.#truth.generation))) continue;
      assert.match(name, /^(?:backup|exportLedger|export)-[^.]*$/, `${name} is left after ${call?.op}`);
      Deno.removeSync(this.#at(name));
    }
  }
}

/** The texts in a copy are those of its content: what was deleted before has left no trace. */
function assertOnlyMarks(path: string, holding: Holding): void {
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(path));
  const found = new Set(text.match(/zq\d+x\d+q/g) ?? []);
  const known = [...holding.marks()].join(" ");
  assert.deepEqual(
    [...found].filter((mark) => !known.includes(mark)),
    [],
    "a copy has what was deleted before",
  );
}

function isSame(left: Outline, right: Outline): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
