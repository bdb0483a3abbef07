/** One history with its backups: all of them are restored in turn, and old mains are put back by hand. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  type Memory,
  openMemory,
  restoreMemory,
  type RestoreReport,
  type SqliteDriver,
} from "@holdfast/memory";
import { searchFiles } from "../../deletion/churn.ts";
import { lstatOrNull } from "../../../src/engines/sqlite/files/private_file.ts";
import { TemporaryDirectory } from "../../kit/temporary_directory.ts";
import { NOTE } from "./marks.ts";
import { type Scene, sceneOf, ScopeIsGone, step } from "./play.ts";
import { assertFenced, assertReads } from "./reads.ts";
import { type MainState, nameOf } from "./state.ts";

/** What is played. */
export interface Play {
  readonly seed: number;
  readonly steps: number;
  readonly driver: SqliteDriver;
  readonly counts?: Record<string, number>;
}

/** An old main: a backup, or a plain copy of the file of a closed store. */
interface Kept {
  readonly name: string;
  readonly of: "backup" | "copy";
  readonly main: MainState;
  readonly generation: number;
}

const STEPS_BETWEEN_RESTORES = 2;

/** Plays a history, then restores every backup in turn. */
export async function play(options: Play): Promise<void> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const revival = new Revival(directory, options);
  await revival.run(options.steps);
}

class Revival {
  readonly #directory: TemporaryDirectory;
  readonly #options: Play;
  readonly #scene: Scene;
  readonly #kept: Kept[] = [];
  #path: string;
  #names = 0;

  constructor(directory: TemporaryDirectory, options: Play) {
    this.#directory = directory;
    this.#options = options;
    this.#path = directory.file("agent.db");
    this.#scene = { ...sceneOf(options.seed), memory: null as unknown as Memory };
  }

  async run(steps: number): Promise<void> {
    const scene = this.#scene;
    const { seeded } = scene;
    scene.memory = await this.#open(this.#path);
    try {
      await this.#keep();
      for (let count = 0; count < steps; count++) {
        await this.#step();
        if (count % 6 === 5) await this.#keep();
        if (seeded.chance(0.15)) await this.#putBackAll(this.#kept.slice(-2));
        if (seeded.chance(0.03)) await this.#restore(seeded.pick(this.#kept));
      }
      await assertReads(scene);
      await this.#putBackAll(this.#kept);
      for (const kept of seeded.shuffled(this.#kept)) {
        await this.#restore(kept);
        if (seeded.chance(0.2)) await this.#restore(kept);
        for (let count = 0; count < STEPS_BETWEEN_RESTORES; count++) await this.#step();
      }
      await this.#putBackAll(this.#kept);
    } finally {
      await scene.memory.close();
    }
  }

  async #step(): Promise<void> {
    try {
      await step(this.#scene);
    } catch (error) {
      if (!(error instanceof ScopeIsGone)) throw error;
    }
  }

  #open(path: string, deletionPath = this.#directory.file("agent.db.deletions")): Promise<Memory> {
    return openMemory(path, this.#openOptions(deletionPath));
  }

  #openOptions(deletionPath: string): {
    readonly deletionPath: string;
    readonly clock: () => number;
    readonly kinds: readonly [typeof NOTE];
    readonly driver: SqliteDriver;
  } {
    const { clock } = this.#scene;
    return { deletionPath, clock: clock.now, kinds: [NOTE], driver: this.#options.driver };
  }

  #count(what: string): void {
    const { counts } = this.#options;
    if (counts !== undefined) counts[what] = (counts[what] ?? 0) + 1;
  }

  /** Keeps the main as it is. */
  async #keep(): Promise<void> {
    const scene = this.#scene;
    const { history, seeded } = scene;
    const of = seeded.chance(0.6) ? "backup" : "copy";
    const name = `kept-${this.#names++}`;
    const path = this.#directory.file(name);
    if (of === "backup") {
      const { watermark, generation } = await scene.memory.backup(path);
      assert.deepEqual([watermark.sequence, generation], [history.events.length, history.generation]);
      this.#assertHolds(name);
    } else {
      await scene.memory.close();
      await Deno.copyFile(this.#path, path);
      scene.memory = await this.#open(this.#path);
    }
    scene.watermarks.push(await scene.memory.deletionWatermark());
    this.#kept.push({ name, of, main: history.main.clone(), generation: history.generation });
    this.#count(of);
  }

  /** Requires a file, and its sidecars, to hold what the model has, and nothing else. */
  #assertHolds(name: string): void {
    const texts = this.#scene.history.main.texts();
    const { marks, fragments, utf16 } = searchFiles(this.#directory.path, (found) => found.startsWith(name));
    const held = new Set([...texts].map((text) => text.slice(0, 11)));
    assert.deepEqual([...marks].filter((mark) => !held.has(mark)), [], `texts that are gone, in ${name}`);
    const strays = fragments.filter((part) => ![...held].some((mark) => mark.startsWith(part)));
    assert.deepEqual([strays, utf16], [[], 0], `chunks of erased texts, in ${name}`);
  }

  async #restore(kept: Kept): Promise<void> {
    const scene = this.#scene;
    const { history, seeded } = scene;
    const before = scene.memory;
    const beforePath = this.#path;
    const watermark = seeded.chance(0.5) ? await before.deletionWatermark() : seeded.pick(scene.watermarks);
    const isOpen = seeded.chance(0.5);
    if (!isOpen) await before.close();
    const destination = this.#destination();
    const { from } = history.restore(kept.main);
    const had = kept.main.counts();
    const has = history.main.counts();
    const name = destination.slice(this.#directory.path.length + 1);
    scene.memory = await restoreMemory(this.#directory.file(kept.name), destination, {
      ...this.#openOptions(this.#directory.file("agent.db.deletions")),
      watermark,
    });
    this.#path = destination;
    this.#assertReport(scene.memory.restored!, {
      from,
      erased: {
        records: had.records - has.records,
        scopes: had.scopes - has.scopes,
        turns: had.turns - has.turns,
        pins: had.pins - has.pins,
        entries: had.entries - has.entries,
      },
    });
    if (isOpen) {
      await assertFenced(before);
      await before.close();
    } else if (seeded.chance(0.3)) {
      await assert.rejects(this.#open(beforePath), { code: "REPLACED", details: { by: "restore" } });
    }
    this.#count("restore");
    if (from < history.events.length) this.#count("restore with newer events");
    if (seeded.chance(0.5)) {
      await scene.memory.close();
      this.#assertHolds(name);
      scene.memory = await this.#open(destination);
    }
    await this.#assertAbove();
    await assertReads(scene);
  }

  /** A new name, or now and then the first store's, once its file is out of the way. */
  #destination(): string {
    const first = this.#directory.file("agent.db");
    if (this.#path === first || !this.#scene.seeded.chance(0.2)) {
      return this.#directory.file(`restored-${this.#names++}.db`);
    }
    for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfThere(first + suffix);
    return first;
  }

  #assertReport(
    report: RestoreReport,
    { from, erased }: { from: number; erased: RestoreReport["erased"] },
  ): void {
    const { history } = this.#scene;
    assert.deepEqual(report.erased, erased);
    assert.deepEqual(
      [report.from.sequence, report.to.sequence, report.generation, report.ledgerLost],
      [from, history.events.length, history.generation, false],
    );
    const first = this.#directory.file("agent.db");
    const files = ["", "-journal", "-wal", "-shm"].map((suffix) => first + suffix).filter(isThere);
    assert.deepEqual([...report.fenced].sort(), this.#path === first ? [] : files.sort());
  }

  /** Every scope's revision is above all that were ever issued. */
  async #assertAbove(): Promise<void> {
    const { history, scopes, memory, clock } = this.#scene;
    for (const scope of scopes) {
      const name = nameOf(scope);
      if (!history.main.scopes.has(name)) continue;
      history.upkeep(name, clock.ms);
      assert((await memory.conversation(scope).revision()) > history.highest);
    }
  }

  /** Puts old mains in the place of the live one, each next to a copy of the ledger. */
  async #putBackAll(all: readonly Kept[]): Promise<void> {
    await this.#scene.memory.close();
    for (const kept of all) await this.#putBack(kept);
    this.#scene.memory = await this.#open(this.#path);
  }

  async #putBack(kept: Kept): Promise<void> {
    const { history } = this.#scene;
    const [main, ledger] = ["back.db", "back.db.deletions"].map((name) => this.#directory.file(name));
    await Deno.copyFile(this.#directory.file(kept.name), main!);
    await Deno.copyFile(this.#directory.file("agent.db.deletions"), ledger!);
    const batches = batchesAfter(ledger!, kept.main.applied);
    if (kept.of === "backup") {
      await assert.rejects(this.#open(main!, ledger), { code: "RESTORE" });
      this.#count("put back: a backup");
    } else if (kept.generation !== history.generation) {
      await assert.rejects(this.#open(main!, ledger), { code: "REPLACED", details: { by: "restore" } });
      this.#count("put back: replaced");
    } else if (batches > 1) {
      await assert.rejects(this.#open(main!, ledger), {
        code: "INTEGRITY",
        message: "Cannot use store: main is older than its ledger; restore it",
      });
      this.#count("put back: refused");
    } else {
      await this.#assertOpens(kept, main!, ledger!);
      this.#count(`put back: ${batches} batches behind`);
    }
    for (const path of [main!, ledger!]) {
      for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfThere(path + suffix);
    }
  }

  async #assertOpens(kept: Kept, main: string, ledger: string): Promise<void> {
    const fork = this.#scene.history.fork(kept.main.clone());
    for (const event of fork.events.slice(kept.main.applied)) fork.main.apply(event);
    const memory = await this.#open(main, ledger);
    try {
      await assertReads({ ...this.#scene, memory, history: fork });
    } finally {
      await memory.close();
    }
  }
}

function batchesAfter(ledger: string, applied: number): number {
  using database = new DatabaseSync(ledger, { readOnly: true });
  const sql = "SELECT count(DISTINCT batch) AS batches FROM events WHERE sequence > ?";
  return database.prepare(sql).get(applied)!.batches as number;
}

function isThere(path: string): boolean {
  return lstatOrNull(path) !== null;
}

function removeIfThere(path: string): void {
  if (isThere(path)) Deno.removeSync(path);
}
