/** Receipts: what they say, and that looking at them again finds every forgery and every leftover. */

import assert from "node:assert/strict";
import type { Receipt } from "@holdfast/memory";
import { openMemory } from "@holdfast/memory";
import { atNoon, clockAtNoon, derive, erase, ORCHARD, pinOf, pinUp, talk } from "../conversations/samples.ts";
import type { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { forEachRow } from "../kit/table.ts";
import type { TestStore } from "../kit/test_store.ts";
import { promise } from "./file_store.ts";

const VALID = { valid: true, lineage: true, chain: true, event: true, applied: true, remains: {} };

promise(
  "A receipt tells lineage, place, head, kind, time and counts; its place is the watermark",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    const receipt = await erase(conversation, "turn", "t1");
    const { lineage, sequence, head } = await memory.deletionWatermark();
    assert.deepEqual(receipt, {
      lineage,
      sequence,
      head,
      kind: "turn",
      at: "2027-01-15T08:00:00+00:00",
      already: false,
      scrubbed: false,
      erased: { turns: 1, pins: 0, summaries: 0, chunks: 0, postings: 0, replay: 0, operations: 0 },
    });
    assert(Object.isFrozen(receipt) && Object.isFrozen(receipt.erased));
  },
);

promise(
  "Receipts of a turn, a pin, a scope and an unknown id are verified, also much later and from JSON",
  async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    const conversation = await talk(memory, ["t1", "t2"]);
    await pinUp(conversation, pinOf("k"));
    await derive(conversation);
    const receipts = [
      await erase(conversation, "turn", "t1"),
      await erase(conversation, "pin", "k"),
      await erase(conversation, "turn", "t9"),
      await erase(conversation, "turn", "t1"),
      await erase(conversation, "scope"),
    ];
    clock.advance(1_000_000);
    await memory.prune();
    await memory.close();
    const again = await store.open({ clock: clock.now });
    for (const receipt of receipts) {
      assert.deepEqual(await again.verifyReceipt(JSON.parse(JSON.stringify(receipt))), VALID);
    }
  },
);

promise("Deletions made at once have receipts of their own, in one chain", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1", "t2", "t3"]);
  const receipts = await Promise.all(
    ["t1", "t2", "t3"].map((key, index) =>
      conversation.delete({ kind: "turn", key, expectedRevision: 3 + index })
    ),
  );
  assert.deepEqual(receipts.map(({ sequence }) => sequence), [1, 2, 3]);
  assert.equal(new Set(receipts.map(({ head }) => head)).size, 3);
  for (const receipt of receipts) assert.deepEqual(await memory.verifyReceipt(receipt), VALID);
});

const FORGERIES: readonly (readonly [what: string, forge: (receipt: Receipt, other: Receipt) => Receipt])[] =
  [
    [
      "another head",
      (receipt) => ({ ...receipt, head: receipt.head.replace(/^./, (c) => c === "0" ? "1" : "0") }),
    ],
    ["the head of another event", (receipt, other) => ({ ...receipt, head: other.head })],
    ["the place of another event", (receipt, other) => ({ ...receipt, sequence: other.sequence })],
    ["a place that is not reached yet", (receipt) => ({ ...receipt, sequence: 99 })],
    ["place 0", (receipt) => ({ ...receipt, sequence: 0 })],
    ["another kind", (receipt) => ({ ...receipt, kind: "pin" })],
    ["another time", (receipt) => ({ ...receipt, at: "2027-01-15T08:00:01+00:00" })],
    ["the same time in another spelling", (receipt) => ({ ...receipt, at: "2027-01-15T08:00:00Z" })],
    ["another count", (receipt) => ({ ...receipt, erased: { ...receipt.erased, turns: 2 } })],
    ["a count that is missing", (receipt) => ({ ...receipt, erased: { turns: 1 } as Receipt["erased"] })],
  ];

for (const [what, forge] of FORGERIES) {
  promise(`verifyReceipt() does not accept a receipt with ${what}`, async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    const receipt = await erase(conversation, "turn", "t1");
    const other = await erase(conversation, "turn", "t2");
    const { valid, event, lineage, chain } = await memory.verifyReceipt(forge(receipt, other));
    assert.deepEqual({ valid, event, lineage, chain }, {
      valid: false,
      event: false,
      lineage: true,
      chain: true,
    });
  });
}

promise("verifyReceipt() does not accept a receipt of another store", async (store) => {
  const memory = await store.open(atNoon());
  await erase(await talk(memory, ["t1"]), "turn", "t1");
  await using other = await openMemory(":memory:", atNoon());
  const foreign = await erase(await talk(other, ["t1"]), "turn", "t1");
  const { valid, lineage } = await memory.verifyReceipt(foreign);
  assert.deepEqual({ valid, lineage }, { valid: false, lineage: false });
});

promise("verifyReceipt() refuses what is no receipt", async (store) => {
  const memory = await store.open(atNoon());
  const receipt = await erase(await talk(memory, ["t1"]), "turn", "t1");
  const rows: readonly unknown[] = [
    null,
    7,
    [],
    {},
    { ...receipt, lineage: 7 },
    { ...receipt, sequence: "1" },
    { ...receipt, kind: "record" },
    { ...receipt, at: null },
    { ...receipt, erased: null },
    { ...receipt, extra: 1 },
  ];
  await forEachRow(rows, async (row) => {
    await assert.rejects(memory.verifyReceipt(row as Receipt), { name: "ContractError", code: "CONTRACT" });
  });
});

promise("A receipt of an expiry cannot be made up: only burning events have receipts", async (store) => {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  const conversation = await talk(memory, ["t1"]);
  const receipt = await erase(conversation, "turn", "t1");
  await conversation.append([{ role: "user", content: "x" }], { expiresAt: new Date(clock.ms + 1) });
  clock.ms += 1;
  await conversation.snapshot();
  const { sequence, head } = await memory.deletionWatermark();
  assert.equal(sequence, 2);
  const forged = { ...receipt, sequence, head, at: "2027-01-15T08:00:00.001000+00:00" };
  assert.equal((await memory.verifyReceipt(forged)).event, false);
});

promise("A chain that was broken anywhere is told, whichever receipt is looked at", async (store) => {
  store.damaged = true;
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1", "t2"]);
  await erase(conversation, "turn", "t1");
  const receipt = await erase(conversation, "turn", "t2");
  store.raw("ledger").prepare("UPDATE events SET floor = floor + 1 WHERE sequence = 1").run([]);
  const { valid, chain, event } = await memory.verifyReceipt(receipt);
  assert.deepEqual({ valid, chain, event }, { valid: false, chain: false, event: true });
});

/** Keeps a table's rows, to put them back once they are deleted. */
function keep(store: TestStore<FaultyDriver>, table: string): () => void {
  const columns = store.sql(`SELECT name FROM pragma_table_info('${table}')`).map(([name]) => name);
  const rows = store.sql(`SELECT ${columns.join(", ")} FROM ${table}`);
  assert(rows.length > 0, table);
  return () => {
    const places = columns.map((_, index) => `$${index + 1}`);
    for (const row of rows) {
      store.sql(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places.join(", ")})`, ...row);
    }
  };
}

const LEFT_BY_SCOPE = [
  "scopes",
  "turns",
  "message_ids",
  "pins",
  "summaries",
  "covered_turns",
  "replays",
  "operations",
];

for (const table of LEFT_BY_SCOPE) {
  promise(`verifyReceipt() finds rows of a deleted scope that are left in ${table}`, async (store) => {
    store.damaged = true;
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    await derive(conversation);
    const putBack = keep(store, table);
    const receipt = await erase(conversation, "scope");
    assert.deepEqual(await memory.verifyReceipt(receipt), VALID);
    putBack();
    const { valid, event, remains } = await memory.verifyReceipt(receipt);
    assert.deepEqual([valid, event, Object.keys(remains)], [false, true, [table]]);
    assert((remains[table] ?? 0) >= 1);
  });
}

promise("verifyReceipt() finds a floor of a deleted scope that is left", async (store) => {
  store.damaged = true;
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1"]);
  await derive(conversation);
  await erase(conversation, "turn", "t1");
  const putBack = keep(store, "floors");
  const receipt = await erase(conversation, "scope");
  putBack();
  assert.deepEqual((await memory.verifyReceipt(receipt)).remains, { floors: 1 });
});

for (const table of ["turns", "message_ids", "pins", "covered_turns"]) {
  promise(`verifyReceipt() finds rows of a deleted turn that are left in ${table}`, async (store) => {
    store.damaged = true;
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    await derive(conversation);
    const putBack = keep(store, table);
    const receipt = await erase(conversation, "turn", "t1");
    putBack();
    assert.deepEqual((await memory.verifyReceipt(receipt)).remains, { [table]: 1 });
  });
}

promise("verifyReceipt() finds a deleted pin that is back", async (store) => {
  store.damaged = true;
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, []);
  await pinUp(conversation, pinOf("k"));
  const putBack = keep(store, "pins");
  const receipt = await erase(conversation, "pin", "k");
  putBack();
  assert.deepEqual((await memory.verifyReceipt(receipt)).remains, { pins: 1 });
});

promise("A store opened for reading verifies receipts", async (store) => {
  const memory = await store.open(atNoon());
  const receipt = await erase(await talk(memory, ["t1"]), "turn", "t1");
  await memory.close();
  const reader = await store.open({ ...atNoon(), readOnly: true });
  assert.deepEqual(await reader.verifyReceipt(receipt), VALID);
  assert.equal((await reader.conversation(ORCHARD).snapshot()).turnCount, 0);
});

testThatNothingIsLeftOpen();
