/**
 * A restore without a ledger creates two files: wherever it is killed, it can be run again or has created a live
 * store.
 */

import assert from "node:assert/strict";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { doom, type Moment } from "./doomed_restore.ts";
import { fill, Shelf, textsOf } from "./shelf.ts";

const TEXTS = ["The pears were grafted in March.", "The well is forty metres deep.", "Prune before frost."];
const LOST = { watermark: undefined, ledgerLost: true } as never;
const NO_WATERMARK = undefined as never;

/** A backup, and a store whose ledger is gone. */
async function loseLedger(shelf: Shelf): Promise<void> {
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  await memory.close();
  Deno.removeSync(shelf.at("agent.db.deletions"));
}

async function die(shelf: Shelf, moment: Moment): Promise<void> {
  await doom({
    backup: shelf.at("agent.backup"),
    destination: shelf.at("restored.db"),
    deletionPath: shelf.at("agent.db.deletions"),
    watermark: null,
    moment,
    old: false,
  });
}

/** Moments before the ledger has its name. */
const UNFINISHED: readonly Moment[] = [
  { on: "files", what: "write", when: "after" },
  { on: "files", what: "link", when: "before" },
  { on: "files", what: "link", when: "after" },
  { on: "files", what: "remove", when: "after" },
  { on: "files", what: "link", nth: 2, when: "before" },
];

for (const moment of UNFINISHED) {
  Deno.test(`without a ledger, a restore killed ${moment.when} ${moment.what} ${moment.nth ?? 1} is run again`, async () => {
    await using shelf = await Shelf.make();
    await loseLedger(shelf);
    await die(shelf, moment);
    const restored = await shelf.restore("agent.backup", "restored.db", NO_WATERMARK, LOST);
    assert.deepEqual(await textsOf(restored), TEXTS);
    assert.deepEqual(shelf.names().filter((name) => name.includes("restoring")), []);
  });
}

Deno.test("without a ledger, a restore killed right after the new ledger got its name says so, and run again leaves a live store", async () => {
  await using shelf = await Shelf.make();
  await loseLedger(shelf);
  await die(shelf, { on: "files", what: "link", nth: 2, when: "after" });
  await assert.rejects(shelf.open({}, "restored.db"), { code: "RESTORE" });
  await assert.rejects(shelf.restore("agent.backup", "restored.db", NO_WATERMARK, LOST), { code: "EXISTS" });
  assert.deepEqual(await textsOf(await shelf.open({}, "restored.db")), TEXTS);
  assert.deepEqual(shelf.names().filter((name) => name.includes("restoring")), []);
});

Deno.test("without a ledger, a restore that was killed once the new store was live does not remove it when it is run again", async () => {
  await using shelf = await Shelf.make();
  await loseLedger(shelf);
  await die(shelf, { on: "files", what: "remove", nth: 2, when: "after" });
  await assert.rejects(shelf.restore("agent.backup", "restored.db", NO_WATERMARK, LOST), { code: "EXISTS" });
  assert(shelf.names().includes("restored.db"));
  assert.deepEqual(await textsOf(await shelf.open({}, "restored.db")), TEXTS);
});

Deno.test("a copy of the ledger from before a restore is too old for a backup from after it", async () => {
  await using shelf = await Shelf.make();
  const first = await shelf.open();
  await fill(first);
  await first.backup(shelf.at("first.backup"));
  await first.exportLedger(shelf.at("first.ledger"));
  const watermark = await first.deletionWatermark();
  const second = await shelf.restore("first.backup", "second.db", watermark);
  await second.backup(shelf.at("second.backup"));
  await second.close();
  await first.close();
  Deno.removeSync(shelf.at("agent.db.deletions"));
  const names = shelf.names();
  const ledgerExport = shelf.at("first.ledger");
  await assert.rejects(shelf.restore("second.backup", "third.db", watermark, { ledgerExport }), {
    code: "INTEGRITY",
    message: "Cannot restore: the ledger is older than the backup",
    details: { because: "older-ledger", recorded: 0, backup: 1 },
  });
  assert.deepEqual(shelf.names(), names);
  shelf.damaged = true;
});

testThatNothingIsLeftOpen();
