/**
 * A process that is killed in the ledger's COMMIT, after its pages are in the log and before anybody is told of them,
 * leaves a commit that nobody sees as long as the ledger stays open somewhere, and that comes back when its log is
 * recovered. Here the pages come from a copy of the store in which the commit was completed.
 */

import assert from "node:assert/strict";
import { type Memory, nodeSqlite, openMemory } from "../../mod.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const IDENTITY = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
const IOERR = 10;

function put(memory: Memory, step: number, expectedRevision: number | null): Promise<number> {
  return memory.records.put(IDENTITY, { schema: 1, step, items: [] }, { expectedRevision, ttl: 3_600 });
}

/** What a crash of every process would leave: both files and their logs. */
async function copyStore(from: string, to: string): Promise<void> {
  for (const suffix of ["", "-wal", ".deletions", ".deletions-wal"]) {
    await Deno.writeFile(to + suffix, await Deno.readFile(from + suffix), { mode: 0o600 });
  }
}

/** The ledger's log after the forget, as a process leaves it that dies before it tells anybody. */
async function logAfterForget(copy: string): Promise<Uint8Array> {
  await using memory = await openMemory(copy);
  assert.equal(await memory.records.forget(IDENTITY, 1), true);
  return await Deno.readFile(`${copy}.deletions-wal`);
}

async function openWithLingeringForget(directory: TemporaryDirectory): Promise<Memory> {
  const path = directory.file("agent.db");
  const driver = new FaultyDriver(nodeSqlite);
  const memory = await openMemory(path, { driver });
  await put(memory, 0, null);
  await copyStore(path, directory.file("copy.db"));
  const log = await logAfterForget(directory.file("copy.db"));
  // Here the forget gets as far as its announcement; the rest of the log is the commit that would have recorded it.
  driver.fail({ database: "ledger", sql: "BEGIN", effect: "before", code: IOERR });
  await assert.rejects(memory.records.forget(IDENTITY, 1), { code: "IO" });
  driver.heal();
  const file = await Deno.open(`${path}.deletions-wal`, { write: true });
  const known = (await file.stat()).size;
  assert(log.length > known);
  await file.seek(known, Deno.SeekMode.Start);
  for (let at = known; at < log.length;) at += await file.write(log.subarray(at));
  file.close();
  return memory;
}

Deno.test("a lingering deletion that nothing was written after is completed by the recovery of the log", async () => {
  await using directory = await TemporaryDirectory.make();
  await using _memory = await openWithLingeringForget(directory);
  await copyStore(directory.file("agent.db"), directory.file("crashed.db"));
  await using recovered = await openMemory(directory.file("crashed.db"));
  assert.equal((await recovered.deletionWatermark()).sequence, 1);
  assert.equal(await recovered.records.get(IDENTITY), null);
  assert.equal((await recovered.check()).ok, true);
});

Deno.test("a lingering deletion does not strike what was acknowledged after it", async () => {
  await using directory = await TemporaryDirectory.make();
  await using memory = await openWithLingeringForget(directory);
  assert.equal(await put(memory, 1, 1), 2);
  await copyStore(directory.file("agent.db"), directory.file("crashed.db"));
  await using recovered = await openMemory(directory.file("crashed.db"));
  assert.equal((await recovered.records.get(IDENTITY))?.revision, 2);
  assert.equal((await recovered.deletionWatermark()).sequence, 0);
  assert.equal((await recovered.check()).ok, true);
});
