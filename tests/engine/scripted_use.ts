/** Uses every public operation, so that every statement of the source is compiled. */

import assert from "node:assert/strict";
import { type Memory, openMemory, restoreMemory } from "@holdfast/memory";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { TERMS_PER_STEP } from "../../src/limits.ts";
import { ORCHARD, pinOf, pinUp, readTurns, revise, turnOf } from "../conversations/samples.ts";
import { factAt } from "../../src/testing/records/record_samples.ts";
import {
  EXPIRES_MS,
  prepareExpiring,
  prepareTalk,
  REVISION,
  talkOf,
  TOOLS,
} from "../faults/conversation_operations.ts";
import { PUBLIC_OPERATIONS } from "../faults/public_operations.ts";
import { optionsFor, type StruckOperation } from "../faults/struck_operation.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { PlanningDriver } from "../kit/planning_driver.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const BUSY_TIMEOUT_MS = 5_000;

/** Returns the driver through which everything ran. */
export async function useEverything(): Promise<PlanningDriver> {
  const driver = new PlanningDriver(nodeSqlite);
  for (const operation of PUBLIC_OPERATIONS) await useOne(driver, operation);
  await eraseLong(driver);
  await verifyDeletions(driver);
  await verifyErasures(driver);
  await exportDue(driver);
  await restore(driver);
  for (const remove of REMOVALS) await completeDeletion(driver, remove);
  return driver;
}

async function useOne(driver: PlanningDriver, operation: StruckOperation): Promise<void> {
  await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
  let memory = await store.open(optionsFor(BUSY_TIMEOUT_MS));
  await operation.prepare(memory);
  if (operation.laterMs !== undefined) {
    await memory.close();
    memory = await store.open(optionsFor(BUSY_TIMEOUT_MS, operation.laterMs));
  }
  await operation.run(memory, undefined).catch((error: { code?: unknown }) => {
    assert.equal(error.code, "CONFLICT", operation.name);
  });
}

/** Indexes and erases a turn with more words than one transaction may, searched between the two. */
async function eraseLong(driver: PlanningDriver): Promise<void> {
  await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
  const memory = await store.open(optionsFor(BUSY_TIMEOUT_MS));
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  const words = Array.from({ length: TERMS_PER_STEP + 1 }, (_, n) => `z${n}`).join(" ");
  const { turnId } = await conversation.append([{ role: "user", content: words }]);
  await conversation.search("z1");
  const content = "short";
  const turn = { turnId, scope: ORCHARD, messages: [{ messageId: "long", role: "user", content }] } as const;
  await conversation.putTurn(turn, { operationId: "long", expectedRevision: await conversation.revision() });
  await conversation.search("short");
  await memory.prune();
}

async function verifyDeletions(driver: PlanningDriver): Promise<void> {
  await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
  const memory = await store.open(optionsFor(BUSY_TIMEOUT_MS));
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  await pinUp(conversation, pinOf("colour", "red"));
  const journal = memory.journal(ORCHARD, TOOLS);
  for (const erase of [() => journal.clear(), () => journal.delete()]) {
    assert.equal((await memory.verifyReceipt(await erase())).valid, true);
  }
  for (const [kind, key] of [["pin", "colour"], ["turn", "t1"], ["scope", undefined]] as const) {
    const expectedRevision = await conversation.revision();
    const receipt = await conversation.delete({ kind, key, expectedRevision });
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  }
}

async function verifyErasures(driver: PlanningDriver): Promise<void> {
  await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
  const memory = await store.open(optionsFor(BUSY_TIMEOUT_MS));
  await prepareTalk(memory);
  const { tenantId } = ORCHARD;
  const receipts = [await memory.erase({ tenantId, subject: "gwen" }), await memory.erase({ tenantId })];
  for (const receipt of receipts) assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  await prepareTalk(memory);
  for (const receipt of receipts) assert.equal((await memory.verifyReceipt(receipt)).valid, true);
}

async function exportDue(driver: PlanningDriver): Promise<void> {
  await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
  const early = await store.open(optionsFor(BUSY_TIMEOUT_MS));
  await prepareExpiring(early);
  const lines = await Array.fromAsync(early.exportLines({ includeContent: true }));
  await talkOf(early).delete({ kind: "turn", key: "t1", expectedRevision: await talkOf(early).revision() });
  await early.importLines(lines);
  const own = await Array.fromAsync(early.exportLines({ includeContent: true }));
  await early.importLines(own);
  const late = await store.open({ ...optionsFor(BUSY_TIMEOUT_MS, EXPIRES_MS), readOnly: true });
  assert((await Array.fromAsync(late.exportLines({ includeContent: true }))).length < own.length);
}

/** Creates a store, restores it from a backup with a summary and an index, and again without its ledger. */
async function restore(driver: PlanningDriver): Promise<void> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const at = (name: string): string => directory.file(name);
  const options = { ...optionsFor(BUSY_TIMEOUT_MS), driver };
  const memory = await openMemory(at("agent.db"), options);
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  await memory.backup(at("skipping.backup"), { damaged: "skip" });
  // The pin that cites it is erased, and leaves a floor.
  await revise(conversation, turnOf("t1", "other words", { revision: 2 }));
  await memory.backup(at("agent.backup"));
  await conversation.delete({ kind: "turn", key: "t1", expectedRevision: await conversation.revision() });
  const { watermark } = await memory.exportLedger(at("agent.ledger"));
  await memory.close();
  const kept = { ...options, deletionPath: at("agent.db.deletions"), watermark };
  await using restored = await restoreMemory(at("agent.backup"), at("restored.db"), kept);
  assert.equal((await readTurns(restored.conversation(ORCHARD))).length, 1);
  const lost = { ...options, deletionPath: at("lost.deletions"), ledgerLost: true } as const;
  await using again = await restoreMemory(at("agent.backup"), at("lost.db"), lost);
  assert.equal((await readTurns(again.conversation(ORCHARD))).length, 2);
}

/** Deletions that are recorded, and completed by the next call. */
async function completeDeletion(
  driver: PlanningDriver,
  remove: (memory: Memory) => Promise<unknown>,
): Promise<void> {
  const faulty = new FaultyDriver(driver);
  await using store = await makeFileStore(faulty, await TemporaryDirectory.makeInMemory());
  const memory = await store.open(optionsFor(BUSY_TIMEOUT_MS));
  await prepareTalk(memory);
  faulty.fail({ database: "main", sql: "INSERT INTO deletions", effect: "before", code: RESULT.IOERR });
  await assert.rejects(remove(memory), { code: "IO" });
  await memory.prune({ scrub: false });
}

const REMOVALS: readonly ((memory: Memory) => Promise<unknown>)[] = [
  (memory) => talkOf(memory).delete({ kind: "turn", key: "t1", expectedRevision: REVISION }),
  (memory) => talkOf(memory).delete({ kind: "pin", key: "derived", expectedRevision: REVISION }),
  (memory) => memory.journal(ORCHARD, TOOLS).clear(),
  (memory) => memory.journal(ORCHARD, TOOLS).delete(),
  (memory) => talkOf(memory).delete({ kind: "scope", expectedRevision: REVISION }),
  ({ records }) => records.forget(factAt("other"), 1),
  (memory) => talkOf(memory).describe({ subject: "gwen" }),
  ({ records }) => records.label(factAt("other"), "gwen"),
  (memory) => memory.erase({ tenantId: ORCHARD.tenantId, subject: "gwen" }),
  (memory) => memory.erase({ tenantId: ORCHARD.tenantId }),
];
