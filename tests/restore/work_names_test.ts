/**
 * A process that is killed right after linking its file to the final name leaves it two names: the next call removes
 * one.
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { fill, Shelf, textsOf } from "./shelf.ts";

const TEXTS = ["The pears were grafted in March.", "The well is forty metres deep.", "Prune before frost."];

function partial(shelf: Shelf): readonly string[] {
  return shelf.names().filter((name) => name.includes(".partial"));
}

Deno.test("a backup whose creator was killed before it removed the work name is complete, and is restored", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  Deno.linkSync(shelf.at("agent.backup"), shelf.at("agent.backup.partial"));
  await memory.close();
  const restoring = shelf.restore("agent.backup", "restored.db", watermark);
  await assert.doesNotReject(restoring);
  assert.deepEqual(await textsOf(await restoring), TEXTS);
  assert.deepEqual(partial(shelf), []);
});

Deno.test("an existing backup keeps only its own name when it is made again", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  const before = shelf.digests();
  Deno.linkSync(shelf.at("agent.backup"), shelf.at("agent.backup.partial"));
  await assert.rejects(memory.backup(shelf.at("agent.backup")), { code: "EXISTS" });
  assert.equal(shelf.digests()["agent.backup"], before["agent.backup"]);
  assert.deepEqual(partial(shelf), []);
});

Deno.test("a backup that is being published is complete, and can be restored from", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  await memory.close();
  Deno.linkSync(shelf.at("agent.backup"), shelf.at("agent.backup.partial"));
  using maker = Deno.openSync(shelf.at("agent.backup.partial"), { read: true, write: true });
  maker.lockSync(true);
  await shelf.restore("agent.backup", "restored.db", watermark);
  assert.deepEqual(partial(shelf), []);
});

Deno.test("an exported ledger whose creator was killed before it removed the work name is complete, and can be restored from", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  await memory.exportLedger(shelf.at("agent.ledger"));
  const watermark = await memory.deletionWatermark();
  await memory.close();
  Deno.linkSync(shelf.at("agent.ledger"), shelf.at("agent.ledger.partial"));
  Deno.removeSync(shelf.at("agent.db.deletions"));
  const ledgerExport = shelf.at("agent.ledger");
  const restoring = shelf.restore("agent.backup", "restored.db", watermark, { ledgerExport });
  await assert.doesNotReject(restoring);
  assert.deepEqual(await textsOf(await restoring), TEXTS);
  assert.deepEqual(partial(shelf), []);
});

Deno.test("a work file that has no application id yet is replaced by the next", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const database = new DatabaseSync(shelf.at("agent.backup.partial"));
  database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.close();
  Deno.chmodSync(shelf.at("agent.backup.partial"), 0o600);
  assert.equal(Deno.statSync(shelf.at("agent.backup.partial")).size, 4_096);
  await assert.doesNotReject(memory.backup(shelf.at("agent.backup")));
  assert.deepEqual(partial(shelf), []);
});

Deno.test("another name of a backup is not removed, and the backup is refused", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  await memory.close();
  Deno.linkSync(shelf.at("agent.backup"), shelf.at("agent.copy"));
  await assert.rejects(shelf.restore("agent.backup", "restored.db", watermark), { code: "UNSAFE" });
  assert(shelf.names().includes("agent.copy"));
});

testThatNothingIsLeftOpen();
