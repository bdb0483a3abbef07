/** Damaged rows of journals: found where they are read, named by check(), left out where that is asked for. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Memory } from "@holdfast/memory";
import { HARBOUR, ORCHARD } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { Shelf } from "../restore/shelf.ts";
import { entriesOf, valuesOf } from "./journals_suite.ts";

const SPRING = { tenantId: "orchard", sessionId: "spring" };
const ENTRY = { table: "journal_entries", ...SPRING, part: "tools", place: 2 };
const JOURNAL = { table: "journals", ...SPRING, part: "tools" };

/** What is damaged, how `check` and `skip` name it, and what is left of the journal; null where it is left out. */
interface Damage {
  readonly what: string;
  readonly sql: string;
  readonly skipped: readonly object[];
  readonly left: readonly number[] | null;
}

const OF_TOOLS = "(SELECT id FROM journals WHERE part = 'tools')";

const DAMAGES: readonly Damage[] = [
  ...["payload = '9'", "uuid = 'x'", "revision = 7", "bytes = bytes + 1", "checksum = checksum + 1"].map((
    set,
  ) => ({
    what: `an entry: ${set}`,
    sql: `UPDATE journal_entries SET ${set} WHERE place = 2 AND journal = ${OF_TOOLS}`,
    skipped: [ENTRY],
    left: [1, 3],
  })),
  {
    what: "the place of an entry",
    sql: `UPDATE journal_entries SET place = 7 WHERE place = 3 AND journal = ${OF_TOOLS}`,
    skipped: [{ ...ENTRY, place: 7 }],
    left: [1, 2],
  },
  {
    what: "the journal of an entry",
    sql: `UPDATE journal_entries SET journal = 77 WHERE place = 2 AND journal = ${OF_TOOLS}`,
    skipped: [{ table: "journal_entries" }],
    left: [1, 3],
  },
  ...["revision = revision + 1", "entries = 9", "bytes = 1", "last = 2", "rewritten = 0"].map((set) => ({
    what: `a journal: ${set}`,
    sql: `UPDATE journals SET ${set}, checksum = checksum + 1 WHERE part = 'tools'`,
    skipped: [JOURNAL],
    left: null,
  })),
  {
    what: "the part of a journal",
    sql: "UPDATE journals SET part = 'tolls' WHERE part = 'tools'",
    skipped: [{ ...JOURNAL, part: "tolls" }],
    left: null,
  },
  {
    what: "a missing entry",
    sql: `DELETE FROM journal_entries WHERE place = 2 AND journal = ${OF_TOOLS}`,
    skipped: [],
    left: [1, 3],
  },
];

async function fill(memory: Memory): Promise<void> {
  await memory.journal(ORCHARD).append(entriesOf("alone"));
  await memory.journal(ORCHARD, "tools").append([{ json: 1 }, { uuid: "e2", json: 2 }, { json: 3 }]);
  await memory.journal(HARBOUR, "tools").append(entriesOf("far"));
}

function change(path: string, sql: string): void {
  using file = new DatabaseSync(path);
  assert.equal(file.prepare(sql).run().changes, 1);
}

for (const { what, sql, skipped, left } of DAMAGES) {
  Deno.test(`Damage to a journal is found, and a backup that skips it restores the rest: ${what} (BAD-01)`, async () => {
    await using shelf = await Shelf.make();
    shelf.damaged = true;
    const memory = await shelf.open();
    await fill(memory);
    change(
      shelf.at("agent.db"),
      sql.replaceAll("WHERE part = 'tools'", "WHERE part = 'tools' AND scope = 1"),
    );
    const { ok, problems } = await memory.check();
    assert.equal(ok, false);
    assert(problems.every(({ table }) => ["journals", "journal_entries", "scopes"].includes(table)));
    await assert.rejects(memory.backup(shelf.at("agent.backup")), { code: "INTEGRITY" });
    const report = await memory.backup(shelf.at("agent.backup"), { damaged: "skip" });
    assert.deepEqual(report.skipped, skipped);
    await memory.close();
    const restored = await shelf.restore("agent.backup", "restored.db", report.watermark);
    await assertIntact(restored);
    assert.deepEqual(await valuesOf(restored.journal(ORCHARD, "tools")), left ?? []);
    assert.deepEqual(await valuesOf(restored.journal(ORCHARD)), ["alone"]);
    assert.deepEqual(await valuesOf(restored.journal(HARBOUR, "tools")), ["far"]);
    await restored.journal(ORCHARD, "tools").append(entriesOf(4));
    await assertIntact(restored);
  });
}

Deno.test("A damaged entry is named, left out where that is asked for, and can be cut off, cleared or deleted", async () => {
  const erasures: readonly ((memory: Memory) => Promise<unknown>)[] = [
    async (memory) => {
      const journal = memory.journal(ORCHARD, "tools");
      await journal.replaceSuffix({ from: 2, expectedRevision: await journal.revision() }, []);
    },
    (memory) => memory.journal(ORCHARD, "tools").clear(),
    (memory) => memory.journal(ORCHARD, "tools").delete(),
  ];
  for (const erase of erasures) {
    await using shelf = await Shelf.make();
    const memory = await shelf.open();
    await fill(memory);
    change(
      shelf.at("agent.db"),
      "UPDATE journal_entries SET payload = '9' WHERE uuid = 'e2'",
    );
    const journal = memory.journal(ORCHARD, "tools");
    await assert.rejects(Array.fromAsync(journal.read()), { code: "INTEGRITY", details: ENTRY });
    await assert.rejects(journal.pop(2), { code: "INTEGRITY" });
    await assert.rejects(journal.append([{ uuid: "e2", json: 2 }]), { code: "INTEGRITY" });
    const reading = journal.read({ damaged: "skip" });
    assert.deepEqual(await Array.fromAsync(reading, ({ json }) => json), [1, 3]);
    assert.deepEqual(reading.skipped, [ENTRY]);
    const lines = memory.exportLines({ includeContent: true, damaged: "skip" });
    const types = (await Array.fromAsync(lines)).map((line) => JSON.parse(line).type);
    assert.deepEqual([types.filter((type) => type === "entry").length, lines.skipped], [4, [ENTRY]]);
    await erase(memory);
    await assertIntact(memory);
  }
});

Deno.test("A journal whose row is damaged cannot be read or cleared, and is deleted all the same", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  change(
    shelf.at("agent.db"),
    "UPDATE journals SET checksum = checksum + 1 WHERE part = 'tools' AND scope = 1",
  );
  const journal = memory.journal(ORCHARD, "tools");
  for (const call of [() => valuesOf(journal), () => journal.clear(), () => journal.append(entriesOf(4))]) {
    await assert.rejects(call(), { code: "INTEGRITY", details: JOURNAL });
  }
  assert.deepEqual(await valuesOf(memory.journal(ORCHARD)), ["alone"]);
  const receipt = await journal.delete();
  assert.deepEqual([receipt.erased.entries, (await memory.verifyReceipt(receipt)).valid], [3, true]);
});

Deno.test("verifyReceipt() finds entries that a clearing or a deletion left behind", async () => {
  for (const reserved of [false, true]) {
    await using shelf = await Shelf.make();
    shelf.damaged = true;
    const memory = await shelf.open();
    await fill(memory);
    const journal = memory.journal(ORCHARD, "tools");
    using file = new DatabaseSync(shelf.at("agent.db"));
    const tables = ["journals", "journal_entries"].map((table) =>
      [table, file.prepare(`SELECT * FROM ${table}`).all()] as const
    );
    const receipt = await (reserved ? journal.delete() : journal.clear());
    for (const [table, rows] of tables) {
      for (const row of rows) {
        const names = Object.keys(row);
        const marks = names.map(() => "?").join(", ");
        file.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(
          ...Object.values(row),
        );
      }
    }
    const { valid, remains } = await memory.verifyReceipt(receipt);
    assert.deepEqual([valid, remains], [
      false,
      reserved ? { journals: 1, journal_entries: 3 } : { journal_entries: 3 },
    ]);
  }
});

testThatNothingIsLeftOpen();
