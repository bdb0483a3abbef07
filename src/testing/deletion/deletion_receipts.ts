/** Receipts: what they say, and that looking at them again finds every forgery and every leftover. */

import assert from "node:assert/strict";
import {
  COVERED_TURNS,
  FLOORS,
  MESSAGE_IDS,
  OPERATIONS,
  PINS,
  REPLAYS,
  SCOPES,
  SUMMARIES,
  TURNS,
} from "../../tables/schema/main_tables.ts";
import type { Receipt, ReceiptSubject } from "../../../mod.ts";
import {
  atNoon,
  clockAtNoon,
  derive,
  erase,
  ORCHARD,
  pinOf,
  pinUp,
  talk,
} from "../kit/conversation_samples.ts";
import { forEachRow } from "../kit/each_row.ts";
import { JOURNAL_ENTRIES, JOURNALS } from "../../tables/schema/journal_tables.ts";
import type { TableShape } from "../../tables/schema/descriptor.ts";
import type { Suite } from "../kit/suite.ts";

const VALID = {
  ...{ valid: true, lineage: true, authentic: true, about: null, chain: true },
  ...{ event: true, applied: true, remains: {} },
};

const HASH = /^[0-9a-f]{32}$/;

export function testReceipts({ makeStore, promise, durable }: Suite): void {
  promise(
    "A receipt tells lineage, place, head, kind, time and counts; its place is the watermark",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      const receipt = await erase(conversation, "turn", "t1");
      const { lineage, sequence, head } = await memory.deletionWatermark();
      const { target, mac, ...told } = receipt;
      for (const hash of [mac, target.tenantId, target.sessionId!, target.key ?? ""]) {
        assert.match(hash, HASH);
      }
      assert.deepEqual(told, {
        lineage,
        sequence,
        head,
        kind: "turn",
        reserved: true,
        at: "2027-01-15T08:00:00+00:00",
        already: false,
        scrubbed: false,
        erased: {
          turns: 1,
          pins: 0,
          summaries: 0,
          chunks: 0,
          postings: 0,
          replay: 0,
          operations: 0,
          journals: 0,
          entries: 0,
          media: 0,
        },
      });
      assert([receipt, receipt.erased, receipt.target].every(Object.isFrozen));
    },
  );

  durable(
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

  const FORGERIES:
    readonly (readonly [what: string, forge: (receipt: Receipt, other: Receipt) => Receipt])[] = [
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

  const CHANGES: readonly Partial<Record<keyof Receipt, unknown>>[] = [
    { scrubbed: true },
    { already: true },
    { lineage: "0".repeat(32) },
    { sequence: 2 },
    { head: "0".repeat(64) },
    { kind: "pin" },
    { at: "2027-01-15T08:00:01+00:00" },
    { mac: "0".repeat(32) },
  ];

  promise(
    "A receipt of which any field was changed is not authentic, scrubbed included (RCP-01)",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1", "t2"]);
      const receipt = await erase(conversation, "turn", "t1");
      const { target, erased } = await erase(conversation, "turn", "t2");
      assert.deepEqual(Object.keys(erased), Object.keys(receipt.erased));
      const counts = Object.keys(erased).map((name) => ({ erased: { ...erased, [name]: 7 } }));
      const targets = (["tenantId", "sessionId", "key"] as const).map((name) => ({
        target: { ...receipt.target, [name]: "0".repeat(32) },
      }));
      await forEachRow([...CHANGES, ...counts, ...targets, { target }], async (change) => {
        const report = await memory.verifyReceipt({ ...receipt, ...change } as Receipt);
        assert.deepEqual([report.valid, report.authentic], [false, false]);
      });
    },
  );

  const T1 = { ...ORCHARD, key: "t1" };

  promise(
    "A receipt is about its own tenant, session and key, and about no other (RCP-01)",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await pinUp(conversation, pinOf("k"));
      const turn = await erase(conversation, "turn", "t1");
      const pinned = await erase(conversation, "pin", "k");
      const scope = await erase(conversation, "scope");
      const { tenantId } = ORCHARD;
      const rows: readonly (readonly [receipt: Receipt, subject: ReceiptSubject, about: boolean])[] = [
        [turn, T1, true],
        [turn, ORCHARD, true],
        [turn, { tenantId }, true],
        [turn, { ...T1, key: "t2" }, false],
        [turn, { ...T1, sessionId: "autumn" }, false],
        [turn, { ...T1, tenantId: "vineyard" }, false],
        [turn, { tenantId: "vineyard" }, false],
        [turn, { tenantId: ORCHARD.sessionId }, false],
        [pinned, { ...ORCHARD, key: "k" }, true],
        [pinned, { ...ORCHARD, key: "t1" }, false],
        [scope, ORCHARD, true],
        [scope, T1, false],
        [scope, { ...ORCHARD, sessionId: "autumn" }, false],
      ];
      await forEachRow(rows, async ([receipt, subject, about]) => {
        const report = await memory.verifyReceipt(receipt, subject);
        assert.deepEqual(report, { ...VALID, valid: about, about });
      });
    },
  );

  promise("A receipt of one turn is not made one of another by taking its hash (RCP-01)", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    const receipt = await erase(conversation, "turn", "t1");
    const { target } = await erase(conversation, "turn", "t2");
    const report = await memory.verifyReceipt({ ...receipt, target }, { ...T1, key: "t2" });
    assert.deepEqual([report.valid, report.event, report.authentic], [false, false, false]);
  });

  promise("verifyReceipt() refuses what is no subject, and names its field (RCP-01)", async (store) => {
    const memory = await store.open(atNoon());
    const receipt = await erase(await talk(memory, ["t1"]), "turn", "t1");
    const rows: readonly (readonly [subject: unknown, field: string])[] = [
      [null, "subject"],
      ["orchard", "subject"],
      [{}, "subject.tenantId"],
      [{ tenantId: 7 }, "subject.tenantId"],
      [{ tenantId: "orchard", key: "t1" }, "subject.sessionId"],
      [{ ...ORCHARD, key: " " }, "subject.key"],
      [{ ...ORCHARD, turn: "t1" }, "subject"],
    ];
    await forEachRow(rows, async ([subject, field]) => {
      await assert.rejects(memory.verifyReceipt(receipt, subject as never), { code: "CONTRACT", field });
    });
  });

  promise("verifyReceipt() does not accept a receipt of another store", async (store) => {
    const memory = await store.open(atNoon());
    await erase(await talk(memory, ["t1"]), "turn", "t1");
    await using another = await makeStore();
    const other = await another.open(atNoon());
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
      { ...receipt, scrubbed: "yes" },
      { ...receipt, mac: undefined },
      { ...receipt, target: undefined },
      { ...receipt, target: { ...receipt.target, key: 7 } },
      { ...receipt, erased: { ...receipt.erased, turns: "1" } },
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

  const leftByScope: readonly TableShape[] = [
    ...[SCOPES, TURNS, MESSAGE_IDS, PINS, SUMMARIES, COVERED_TURNS, REPLAYS, OPERATIONS],
    ...[JOURNALS, JOURNAL_ENTRIES],
  ];

  for (const table of leftByScope) {
    promise(`verifyReceipt() finds rows of a deleted scope that are left in ${table.name}`, async (store) => {
      store.damaged = true;
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await derive(conversation);
      await memory.journal(ORCHARD).append([{ json: "Where is order 7?" }]);
      const putBack = await store.keep(table);
      const receipt = await erase(conversation, "scope");
      assert.deepEqual(await memory.verifyReceipt(receipt), VALID);
      await putBack();
      const { valid, event, remains } = await memory.verifyReceipt(receipt);
      assert.deepEqual([valid, event, Object.keys(remains)], [false, true, [table.name]]);
      assert((remains[table.name] ?? 0) >= 1);
    });
  }

  promise("verifyReceipt() finds a floor of a deleted scope that is left", async (store) => {
    store.damaged = true;
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    await derive(conversation);
    await erase(conversation, "turn", "t1");
    const putBack = await store.keep(FLOORS);
    const receipt = await erase(conversation, "scope");
    await putBack();
    // Of the pin that was lost with its source, and of the turn's message.
    assert.deepEqual((await memory.verifyReceipt(receipt)).remains, { floors: 2 });
  });

  for (const table of [TURNS, MESSAGE_IDS, PINS, COVERED_TURNS]) {
    promise(`verifyReceipt() finds rows of a deleted turn that are left in ${table.name}`, async (store) => {
      store.damaged = true;
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await derive(conversation);
      const putBack = await store.keep(table);
      const receipt = await erase(conversation, "turn", "t1");
      await putBack();
      assert.deepEqual((await memory.verifyReceipt(receipt)).remains, { [table.name]: 1 });
    });
  }

  promise("verifyReceipt() finds a deleted pin that is back", async (store) => {
    store.damaged = true;
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, []);
    await pinUp(conversation, pinOf("k"));
    const putBack = await store.keep(PINS);
    const receipt = await erase(conversation, "pin", "k");
    await putBack();
    assert.deepEqual((await memory.verifyReceipt(receipt)).remains, { pins: 1 });
  });

  durable("A store opened for reading verifies receipts", async (store) => {
    const memory = await store.open(atNoon());
    const receipt = await erase(await talk(memory, ["t1"]), "turn", "t1");
    await memory.close();
    const reader = await store.open({ ...atNoon(), readOnly: true });
    assert.deepEqual(await reader.verifyReceipt(receipt), VALID);
    assert.equal((await reader.conversation(ORCHARD).snapshot()).turnCount, 0);
  });
}
