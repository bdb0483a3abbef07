/** A restore whose process is killed: until one commit of the ledger the old store is live, from then on the new one. */

import assert from "node:assert/strict";
import { openMemory, type Watermark } from "../../mod.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { doom, type Moment } from "./doomed_restore.ts";
import { DRIVERS, FACT, factOf, fill, SCOPE, Shelf, textsOf } from "./shelf.ts";

const [[WAL, inLog], [ROLLBACK, inJournal]] = DRIVERS as [
  (typeof DRIVERS)[number],
  (typeof DRIVERS)[number],
];

/** A closed store, and a backup from before one of its turns and its fact were deleted. */
interface Arranged extends AsyncDisposable {
  readonly shelf: Shelf;
  readonly watermark: Watermark;
  readonly turnIds: readonly string[];
}

async function arrange(driver = inLog): Promise<Arranged> {
  const shelf = await Shelf.make(driver());
  const memory = await shelf.open();
  const { turnIds } = await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[1]!, expectedRevision: await talk.revision() });
  assert.equal(await memory.records.forget(FACT, 1), true);
  const watermark = await memory.deletionWatermark();
  await memory.close();
  return { shelf, watermark, turnIds, [Symbol.asyncDispose]: () => shelf[Symbol.asyncDispose]() };
}

/** Restores to `restored.db` in a process that dies at a moment. */
async function die({ shelf, watermark }: Arranged, moment: Moment, old = false): Promise<void> {
  await doom({
    backup: shelf.at("agent.backup"),
    destination: shelf.at("restored.db"),
    deletionPath: shelf.at("agent.db.deletions"),
    watermark,
    moment,
    old,
  });
}

const UNFINISHED = {
  code: "RESTORE",
  message: "Cannot use store: its restore is unfinished; run it again",
};
const LEFT = ["Prune before frost."];
const KEPT = ["The pears were grafted in March.", "Prune before frost."];

/** Moments before the destination has its name: only the work file is left. */
const UNNAMED: readonly Moment[] = [
  { on: "files", what: "write", when: "before" },
  { on: "files", what: "write", when: "after" },
  { on: "work", what: "DELETE FROM turns", when: "after" },
  { on: "work", what: "COMMIT", nth: 2, when: "before" },
  { on: "files", what: "link", when: "before" },
];

/** Moments at which the destination exists and waits for the ledger's commit. */
const PENDING: readonly Moment[] = [
  { on: "files", what: "link", when: "after" },
  { on: "files", what: "remove", when: "after" },
  { on: "destination", what: "BEGIN IMMEDIATE", when: "after" },
  { on: "ledger", what: "UPDATE meta", when: "before" },
  { on: "ledger", what: "UPDATE meta", when: "after" },
  { on: "ledger", what: "UPDATE meta", nth: 2, when: "after" },
  { on: "ledger", what: "COMMIT", when: "before" },
];

/** Moments after that commit, at which the destination does not know yet that it is live. */
const SWITCHED: readonly Moment[] = [
  { on: "ledger", what: "COMMIT", when: "after" },
  { on: "destination", what: "UPDATE meta", when: "before" },
  { on: "destination", what: "COMMIT", when: "before" },
];

function titleOf({ on, what, nth = 1, when }: Moment): string {
  return `${when} ${what} ${nth} of ${on === "files" ? "the file system" : `the ${on}`}`;
}

/** Requires that the old store is live: it accepts a write and a deletion. */
async function useOldStore({ shelf, turnIds }: Arranged): Promise<Watermark> {
  const memory = await shelf.open();
  assert.deepEqual(await textsOf(memory), KEPT);
  await memory.records.put(FACT, factOf("Meanwhile."), { expectedRevision: null, ttl: 3_600 });
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
  const watermark = await memory.deletionWatermark();
  await memory.close();
  return watermark;
}

/** Restores to `restored.db`, and requires that nothing is left of the previous attempt. */
async function restoreAgain({ shelf }: Arranged, watermark: Watermark, generation: number): Promise<void> {
  const restored = await shelf.restore("agent.backup", "restored.db", watermark);
  assert.deepEqual(await textsOf(restored), LEFT);
  assert.equal(await restored.records.get(FACT), null);
  const { erased, fenced, generation: given } = restored.restored!;
  assert.deepEqual([erased, given], [{ records: 1, scopes: 0, turns: 2, pins: 0, entries: 0 }, generation]);
  assert(fenced.includes(shelf.at("agent.db")));
  assert.deepEqual(shelf.names().filter((name) => name.includes("restoring")), []);
  await assert.rejects(shelf.open(), { code: "REPLACED", details: { by: "restore" } });
}

for (const moment of UNNAMED) {
  Deno.test(`a restore killed ${titleOf(moment)} leaves the old store live and no destination, and is run again`, async () => {
    await using arranged = await arrange();
    const { shelf } = arranged;
    await die(arranged, moment);
    assert.deepEqual(shelf.names().filter((name) => name.startsWith("restored")), ["restored.db.restoring"]);
    await assert.rejects(shelf.open({}, "restored.db"), { code: "RESTORE" });
    await restoreAgain(arranged, await useOldStore(arranged), 1);
  });
}

for (const moment of PENDING) {
  Deno.test(`a restore killed ${titleOf(moment)} leaves the old store live and a destination that says so, and is run again`, async () => {
    await using arranged = await arrange();
    const { shelf } = arranged;
    await die(arranged, moment);
    await assertUnfinished(shelf);
    const watermark = await useOldStore(arranged);
    await assertUnfinished(shelf);
    await restoreAgain(arranged, watermark, 1);
  });
}

/** Neither way of opening it succeeds, or changes it. */
async function assertUnfinished(shelf: Shelf): Promise<void> {
  assert.equal(shelf.names().includes("restored.db"), true);
  await assert.rejects(shelf.open({ readOnly: true }, "restored.db"), UNFINISHED);
  await assert.rejects(shelf.open({}, "restored.db"), UNFINISHED);
}

for (const moment of SWITCHED) {
  Deno.test(`a restore killed ${titleOf(moment)} has fenced off the old store, and the next opening completes it`, async () => {
    await using arranged = await arrange();
    await die(arranged, moment);
    await assertSwitched(arranged);
  });
}

async function assertSwitched({ shelf, watermark }: Arranged): Promise<void> {
  await assert.rejects(shelf.open(), { code: "REPLACED", details: { by: "restore" } });
  await assert.rejects(shelf.open({ readOnly: true }, "restored.db"), UNFINISHED);
  await assert.rejects(shelf.restore("agent.backup", "restored.db", watermark), { code: "EXISTS" });
  const restored = await shelf.open({}, "restored.db");
  assert.deepEqual(await textsOf(restored), KEPT);
  assert.equal(await restored.records.get(FACT), null);
  assert((await restored.conversation(SCOPE).revision()) > 2 ** 32);
  await restored.conversation(SCOPE).append([{ role: "user", content: "Back." }]);
  await restored.close();
  const reader = await shelf.open({ readOnly: true }, "restored.db");
  assert.deepEqual(await textsOf(reader), [...KEPT, "Back."]);
}

for (const isSwitched of [false, true]) {
  const when = isSwitched ? "after" : "before";
  Deno.test(`with a ${ROLLBACK} too, a restore killed ${when} the ledger's commit is ${isSwitched ? "completed" : "run again"}`, async () => {
    await using arranged = await arrange(inJournal);
    await die(arranged, { on: "ledger", what: "COMMIT", when }, true);
    if (isSwitched) return await assertSwitched(arranged);
    await assertUnfinished(arranged.shelf);
    await restoreAgain(arranged, await useOldStore(arranged), 1);
  });
}

Deno.test(`a destination that another restore has overtaken stays unfinished, and makes room for the next, with a ${WAL}`, async () => {
  await using arranged = await arrange();
  const { shelf, watermark, turnIds } = arranged;
  await die(arranged, { on: "ledger", what: "COMMIT", when: "before" });
  const other = await shelf.restore("agent.backup", "other.db", watermark);
  await assertUnfinished(shelf);
  const talk = other.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
  const newer = await other.deletionWatermark();
  await assertUnfinished(shelf);
  await restoreAgain(arranged, newer, 2);
  await assert.rejects(talk.snapshot(), { code: "REPLACED", details: { by: "restore" } });
  await assert.rejects(openMemory(shelf.at("other.db"), { deletionPath: shelf.at("agent.db.deletions") }), {
    code: "REPLACED",
  });
});

/** The next opening removes what the killed process left of its logs. */
async function finishLogs(shelf: Shelf): Promise<void> {
  const memory = await shelf.open();
  await memory.close();
}

Deno.test("an unfinished restore is not a backup, and a restore from it is refused with nothing changed", async () => {
  await using arranged = await arrange();
  const { shelf, watermark } = arranged;
  await die(arranged, { on: "files", what: "remove", when: "after" });
  await finishLogs(shelf);
  const before = shelf.digests();
  await assert.rejects(shelf.restore("restored.db", "other.db", watermark), { code: "RESTORE" });
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("what a restore of another store left unfinished at a destination is not removed", async () => {
  await using arranged = await arrange();
  const { shelf } = arranged;
  await die(arranged, { on: "files", what: "remove", when: "after" });
  const deletionPath = shelf.at("other.db.deletions");
  const other = await openMemory(shelf.at("other.db"));
  await other.backup(shelf.at("other.backup"));
  const watermark = await other.deletionWatermark();
  await other.close();
  await finishLogs(shelf);
  const before = shelf.digests();
  await assert.rejects(shelf.restore("other.backup", "restored.db", watermark, { deletionPath }), {
    code: "EXISTS",
  });
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("BAK-04 a backup at the destination is not restored over, and not a byte of it changes", async () => {
  await using arranged = await arrange();
  const { shelf, watermark } = arranged;
  await Deno.copyFile(shelf.at("agent.backup"), shelf.at("restored.db"));
  const before = shelf.digests();
  await assert.rejects(shelf.restore("agent.backup", "restored.db", watermark), { code: "EXISTS" });
  assert.deepEqual(shelf.digests(), before);
});

testThatNothingIsLeftOpen();
