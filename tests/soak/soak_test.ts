/**
 * Several processes work on one store for a bounded time, while it is scrubbed, backed up, and restored elsewhere. No
 * lock error reaches a caller, what was acknowledged is there, memory stays flat, and files give space back.
 * `HOLDFAST_LONG=1` runs for minutes; `HOLDFAST_MODEL_SEED` chooses the seed.
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Memory, openMemory, restoreMemory } from "@holdfast/memory";
import { say } from "../contention/shared_store.ts";
import { Worker, type Workers } from "../contention/workers.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { Job, Verified } from "./job.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEED = Number(Deno.env.get("HOLDFAST_MODEL_SEED") ?? "1");
const PROCESSES = LONG ? 4 : 3;
const ROUNDS = LONG ? 90 : 6;
const ROUND_MS = LONG ? 2_000 : 400;
const BUSY_TIMEOUT_MS = 60_000;
/** What a process may need more after the last third of the rounds than after the first: code is still being compiled then. */
const MEMORY_FACTOR = LONG ? 1.3 : 2;
const WORKER = new URL("./worker.ts", import.meta.url).pathname;

/** What is stored before the last deletions, besides what the processes have. */
const BULK_BYTES = 500_000;

/** What goes on beside the work of a round. */
const BESIDE = ["scrub", "backup", "restore"] as const;

class Supervisor {
  readonly #directory: TemporaryDirectory;
  readonly #workers: Workers<Job>;
  readonly #deletionPath: string;
  readonly verified: Verified[][] = [];
  memory: Memory;
  #path: string;
  #files = 0;

  private constructor(directory: TemporaryDirectory, workers: Workers<Job>, path: string, memory: Memory) {
    this.#directory = directory;
    this.#workers = workers;
    this.#path = path;
    this.#deletionPath = directory.file("agent.db.deletions");
    this.memory = memory;
  }

  static async begin(directory: TemporaryDirectory, workers: Workers<Job>): Promise<Supervisor> {
    const path = directory.file("agent.db");
    const memory = await openMemory(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    const supervisor = new Supervisor(directory, workers, path, memory);
    const deletionPath = supervisor.#deletionPath;
    await workers.perform((index) => ({ do: "open", path, deletionPath, name: `w${index}` }));
    return supervisor;
  }

  /** All work, and something goes on beside it; then all are still, and what each did is looked at. */
  async round(number: number): Promise<void> {
    const beside = BESIDE[number % BESIDE.length]!;
    const backup = this.#directory.file(`backup-${this.#files}`);
    const nextPath = beside === "restore" ? this.#directory.file(`restored-${this.#files++}.db`) : null;
    // A restore loses what came after its backup, but for deletions: each process knows where it stood.
    if (nextPath !== null) await this.memory.backup(backup);
    const working = this.#workers.perform((index) => ({
      do: "work",
      seed: SEED * 1_000_000 + number * 100 + index,
      forMs: ROUND_MS,
      nextPath,
    }));
    const meanwhile = nextPath === null ? this.#beside(beside, backup) : this.#restore(backup, nextPath);
    await Promise.all([working, meanwhile]);
    this.verified.push(await this.#workers.perform<Verified>(() => ({ do: "verify", nextPath })));
    if (nextPath !== null) this.#removeFenced(nextPath);
    await assertIntact(this.memory);
  }

  async #beside(what: "scrub" | "backup" | "restore", backup: string): Promise<void> {
    if (what === "scrub") {
      await this.memory.prune();
    } else {
      await this.memory.backup(backup);
      await Deno.remove(backup);
    }
  }

  async #restore(backup: string, destination: string): Promise<void> {
    const watermark = await this.memory.deletionWatermark();
    const restored = await restoreMemory(backup, destination, {
      deletionPath: this.#deletionPath,
      watermark,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
    });
    await this.memory.close();
    this.memory = restored;
    await Deno.remove(backup);
  }

  /** Nobody has the old store open any more. */
  #removeFenced(nextPath: string): void {
    for (const suffix of ["", "-wal", "-shm"]) {
      try {
        Deno.removeSync(this.#path + suffix);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    this.#path = nextPath;
  }

  /** Everything is deleted, and the files give its space back. */
  async assertGivesBack(): Promise<void> {
    const bulk = this.memory.conversation({ tenantId: "soak", sessionId: "bulk" });
    await bulk.append([{ role: "user", content: "bulk ".repeat(BULK_BYTES / 5) }]);
    await this.memory.prune();
    const before = Deno.statSync(this.#path).size;
    await bulk.delete({ kind: "scope", expectedRevision: await bulk.revision() });
    await this.#workers.perform(() => ({ do: "clear" }));
    await this.#workers.perform(() => ({ do: "close" }));
    const { scrub } = await this.memory.prune();
    assert.equal(scrub?.complete, true);
    const after = Deno.statSync(this.#path).size;
    say(`main had ${before} bytes, and has ${after} once all was deleted and scrubbed`);
    assert(after <= before - BULK_BYTES / 2, "the file became smaller");
    for (const path of [this.#path, this.#deletionPath]) assert.equal(Deno.statSync(`${path}-wal`).size, 0);
    await assertIntact(this.memory);
    await this.memory.close();
    using database = new DatabaseSync(this.#path, { readOnly: true });
    assert.equal(database.prepare("PRAGMA freelist_count").get()!.freelist_count, 0);
    assert.equal(database.prepare("SELECT count(*) AS turns FROM turns").get()!.turns, 0);
  }
}

/** What processes need must not grow with how long they run. */
function assertFlat(verified: readonly (readonly Verified[])[]): void {
  const third = Math.floor(verified.length / 3);
  for (let index = 0; index < PROCESSES; index++) {
    const resident = (round: number): number => verified[round]![index]!.resident;
    const [early, late] = [resident(third - 1), resident(verified.length - 1)];
    const { calls, moves } = verified.at(-1)![index]!;
    say(`process ${index}: ${calls} calls, ${moves} moves, ${early} bytes resident, later ${late}`);
    assert(late <= early * MEMORY_FACTOR, `process ${index} grew from ${early} to ${late} bytes`);
    assert(calls >= ROUNDS, `process ${index} made ${calls} calls`);
    assert.equal(moves, Math.floor(ROUNDS / BESIDE.length), "each restore was noticed");
  }
}

Deno.test(`${PROCESSES} processes soak a store through ${ROUNDS} rounds of scrubs, backups and restores, seed ${SEED}`, async () => {
  await using directory = await TemporaryDirectory.make();
  await using workers = await Worker.startAll<Job>(PROCESSES, WORKER);
  const supervisor = await Supervisor.begin(directory, workers);
  try {
    for (let number = 0; number < ROUNDS; number++) await supervisor.round(number);
    assertFlat(supervisor.verified);
    await supervisor.assertGivesBack();
  } finally {
    await supervisor.memory.close();
  }
});

testThatNothingIsLeftOpen();
