/** LED-01: damage at the end of the ledger is found when the store is opened, and a live ledger causes no error. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Memory, type MemoryOptions, openMemory } from "@holdfast/memory";
import { LEDGER_TAIL_EVENTS } from "../../src/limits.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { forEachRow } from "../../src/testing/kit/each_row.ts";
import { flipBit } from "./damage.ts";
import { Scratch } from "./scratch.ts";

const BITS = 8;
const PAGE_BYTES = 4_096;

/** Opens a store, deletes one scope after another, and closes it. */
async function deleteScopes(path: string, count: number): Promise<void> {
  await using memory = await openMemory(path);
  for (let number = 0; number < count; number++) await deleteScope(memory, number);
}

async function deleteScope(memory: Memory, number: number): Promise<void> {
  const talk = memory.conversation({ tenantId: "orchard", sessionId: `row-${number}` });
  const { revision } = await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
  await talk.delete({ kind: "scope", expectedRevision: revision });
}

/** Offsets of an event's bytes in the ledger's file, from its scope's hash to the end of its head. */
function bytesOfEvent(ledger: string, sequence: number): { readonly from: number; readonly to: number } {
  const database = new DatabaseSync(ledger, { readOnly: true });
  const row = database.prepare("SELECT scope_hash, head FROM events WHERE sequence = ?").get(sequence);
  database.close();
  const file = Deno.readFileSync(ledger);
  const hash = (row!.scope_hash as Uint8Array).toHex();
  const from = file.toHex().indexOf(hash) / 2;
  const to = new TextDecoder("latin1").decode(file).indexOf(row!.head as string, from) + 64;
  assert(from > 0 && to > from);
  return { from, to };
}

async function assertRefused(path: string, what: string): Promise<void> {
  for (const options of [{}, { readOnly: true }] satisfies MemoryOptions[]) {
    await assert.rejects(openMemory(path, options), { name: "IntegrityError", code: "INTEGRITY" }, what);
  }
}

Deno.test("A ledger with one bit flipped in any byte of its last events is refused at open (LED-01)", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  const ledger = `${path}.deletions`;
  await deleteScopes(path, 3);
  const whole = Deno.readFileSync(ledger);
  for (const sequence of [2, 3]) {
    const { from, to } = bytesOfEvent(ledger, sequence);
    for (let byte = from; byte < to; byte++) {
      Deno.writeFileSync(ledger, flipBit(whole, byte * BITS + (byte % BITS)));
      await assertRefused(path, `bit ${byte % BITS} of byte ${byte}, event ${sequence}`);
    }
    Deno.writeFileSync(ledger, whole);
  }
  await (await openMemory(path)).close();
});

Deno.test("The oldest event of the tail is verified at every open, however long ago it was recorded (LED-01)", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  const ledger = `${path}.deletions`;
  const count = LEDGER_TAIL_EVENTS + 6;
  await deleteScopes(path, count);
  const whole = Deno.readFileSync(ledger);
  const { from } = bytesOfEvent(ledger, count - LEDGER_TAIL_EVENTS + 1);
  Deno.writeFileSync(ledger, flipBit(whole, from * BITS));
  await assertRefused(path, "the oldest event of the tail");
});

Deno.test("A ledger that lost its last event, or all of them, is refused at open (LED-01)", async () => {
  await forEachRow(["sequence = 3", "sequence = 1", "true"], async (which) => {
    using scratch = new Scratch();
    const path = scratch.at("agent.db");
    await deleteScopes(path, 3);
    const database = new DatabaseSync(`${path}.deletions`);
    database.exec(`DELETE FROM events WHERE ${which}`);
    database.close();
    await assertRefused(path, which);
  });
});

Deno.test("A ledger that was cut by less than a page is refused at open, and not changed (LED-01)", async () => {
  // Without deletions no event is hit: only the size reveals it.
  await forEachRow([0, 3], async (deletions) => {
    using scratch = new Scratch();
    const path = scratch.at("agent.db");
    const ledger = `${path}.deletions`;
    await deleteScopes(path, deletions);
    const whole = Deno.readFileSync(ledger);
    for (const cut of [1, 9, 100, 1_000, 2_048, 4_095]) {
      Deno.writeFileSync(ledger, whole.subarray(0, whole.length - cut));
      await assertRefused(path, `${cut} bytes`);
      assert.equal(Deno.statSync(ledger).size, whole.length - cut);
    }
  });
});

Deno.test("A ledger whose newest pages are still in its log is intact (LED-01)", async () => {
  using scratch = new Scratch();
  const [path, killed] = [scratch.at("agent.db"), scratch.at("killed.db")];
  await deleteScopes(path, 1);
  const bytes = Deno.statSync(`${path}.deletions`).size;
  await using memory = await openMemory(path);
  for (let number = 1; number <= 40; number++) await deleteScope(memory, number);
  // What a kill leaves now: the file has only the old pages, and the log has all the others.
  for (const suffix of ["", "-wal", ".deletions", ".deletions-wal"]) {
    Deno.copyFileSync(path + suffix, killed + suffix);
  }
  assert.equal(Deno.statSync(`${killed}.deletions`).size, bytes);
  const database = new DatabaseSync(`${path}.deletions`, { readOnly: true });
  const pages = database.prepare("PRAGMA page_count").get()!.page_count as number;
  database.close();
  assert(pages * PAGE_BYTES > bytes);
  await using recovered = await openMemory(killed);
  assert.equal((await recovered.deletionWatermark()).sequence, 41);
});

Deno.test("A ledger that another handle is writing causes no error at open (LED-01)", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  await using writer = await openMemory(path);
  for (let number = 0; number < 20; number++) {
    const [memory] = await Promise.all([
      openMemory(path, { readOnly: number % 2 === 0 }),
      deleteScope(writer, number),
    ]);
    assert((await memory.deletionWatermark()).sequence <= number + 1);
    await memory.close();
  }
  assert.equal((await writer.check()).ok, true);
});

testThatNothingIsLeftOpen();
