/** Backups of a damaged store that leave out what is damaged and what cites it: they pass check() and restore. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { defineKind, type Memory } from "../../mod.ts";
import {
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  readTurns,
  sourceOf,
  talk,
} from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { FACT, factOf, Shelf } from "./shelf.ts";

/** What is damaged, and what is left of the scope that has `t1` (with a pin and a summary that cite it) and `t2`. */
interface Damage {
  readonly what: string;
  readonly sql: string;
  readonly skipped: readonly Readonly<Record<string, string>>[];
  readonly turns: readonly string[];
  readonly pins: readonly string[];
}

const SPRING = { tenantId: "orchard", sessionId: "spring" };
const T1 = { table: "turns", ...SPRING, turnId: "t1" };
const T2 = { table: "turns", ...SPRING, turnId: "t2" };
const DERIVED = { table: "pins", ...SPRING, key: "derived" };
const SUMMARY = { table: "summaries", ...SPRING };
const ALL = { turns: ["t1", "t2"], pins: ["alone", "derived"] };

const DAMAGES: readonly Damage[] = [
  {
    what: "the payload of a turn that is cited",
    sql:
      "UPDATE turns SET payload = replace(payload, 't1-message', 't9-message') WHERE scope = 1 AND turn_id = 't1'",
    skipped: [T1, DERIVED, SUMMARY],
    turns: ["t2"],
    pins: ["alone"],
  },
  {
    what: "the head of a turn",
    sql: "UPDATE turns SET revision = 0 WHERE scope = 1 AND turn_id = 't2'",
    skipped: [T2, SUMMARY],
    turns: ["t1"],
    pins: ALL.pins,
  },
  {
    what: "the id of a turn",
    sql: "UPDATE turns SET turn_id = 'u2' WHERE scope = 1 AND turn_id = 't2'",
    skipped: [{ ...T2, turnId: "u2" }, SUMMARY],
    turns: ["t1"],
    pins: ALL.pins,
  },
  {
    what: "the place of a turn, which becomes that of another scope",
    sql: "UPDATE turns SET scope = 2, turn_id = 't9' WHERE scope = 1 AND turn_id = 't1'",
    skipped: [DERIVED, SUMMARY, { table: "turns", tenantId: "harbour", sessionId: "spring", turnId: "t9" }],
    turns: ["t2"],
    pins: ["alone"],
  },
  {
    what: "the place of a turn, which becomes none",
    sql: "UPDATE turns SET scope = 77 WHERE scope = 1 AND turn_id = 't1'",
    skipped: [T1, DERIVED, SUMMARY],
    turns: ["t2"],
    pins: ["alone"],
  },
  {
    what: "a pin",
    sql: "UPDATE pins SET payload = '' WHERE scope = 1 AND key = 'derived'",
    skipped: [DERIVED],
    turns: ALL.turns,
    pins: ["alone"],
  },
  {
    what: "a summary",
    sql: "UPDATE summaries SET created = created + 1 WHERE scope = 1",
    skipped: [SUMMARY],
    ...ALL,
  },
  {
    what: "what a summary covers",
    sql: "DELETE FROM covered_turns WHERE scope = 1 AND turn = 2",
    skipped: [SUMMARY],
    ...ALL,
  },
  {
    what: "the id of a message",
    sql: "UPDATE message_ids SET message_id = 'other' WHERE scope = 1 AND message_id = 't1-message'",
    skipped: [],
    ...ALL,
  },
  {
    what: "whose message it is",
    sql: "UPDATE message_ids SET turn = 99 WHERE scope = 1 AND message_id = 't1-message'",
    skipped: [],
    ...ALL,
  },
  {
    what: "the totals of a scope",
    sql: "UPDATE scopes SET turns = 7, next_expiry = 1 WHERE id = 1",
    skipped: [],
    ...ALL,
  },
  {
    what: "the revision of a scope",
    sql: "UPDATE scopes SET revision = -4 WHERE id = 1",
    skipped: [],
    ...ALL,
  },
  {
    what: "the name of a scope",
    sql: "UPDATE scopes SET tenant = 'orchare' WHERE id = 1",
    skipped: [],
    ...ALL,
  },
  {
    what: "the hash of a scope",
    sql: "UPDATE scopes SET scope_hash = x'00' WHERE id = 1",
    skipped: [],
    ...ALL,
  },
  {
    what: "a remembered operation",
    sql: "UPDATE operations SET result = 77 WHERE scope_hash = (SELECT scope_hash FROM scopes WHERE id = 1)",
    skipped: [{ table: "operations" }],
    ...ALL,
  },
  {
    what: "a record",
    sql: "UPDATE records SET body = replace(body, 'Kept', 'Lost') WHERE key = 'second'",
    skipped: [{ table: "records", tenantId: "orchard", kind: "fact", key: "second" }],
    ...ALL,
  },
];

async function fill(memory: Memory): Promise<void> {
  const conversation = await talk(memory, ["t1", "t2", "t3"]);
  const [, , third] = await readTurns(conversation);
  await pinUp(conversation, pinOf("lost", "v", { source: sourceOf(third!) }));
  await erase(conversation, "turn", "t3");
  await pinUp(conversation, pinOf("alone"));
  await derive(conversation);
  await derive(await talk(memory, ["t1"], HARBOUR));
  await memory.records.put(FACT, factOf("Kept."), { expectedRevision: null, ttl: 86_400 });
  await memory.records.put({ ...FACT, key: "second" }, factOf("Kept."), {
    expectedRevision: null,
    ttl: 86_400,
  });
}

function change(path: string, sql: string): void {
  using file = new DatabaseSync(path);
  file.exec(sql);
}

for (const { what, sql, skipped, turns, pins } of DAMAGES) {
  Deno.test(`backup({ damaged: "skip" }) where it is ${what} leaves out that and what cites it (BAD-01)`, async () => {
    await using shelf = await Shelf.make();
    shelf.damaged = true;
    const memory = await shelf.open({ clock: clockAtNoon().now });
    await fill(memory);
    change(shelf.at("agent.db"), sql);
    await assert.rejects(memory.backup(shelf.at("agent.backup")), { code: "INTEGRITY" });
    const backup = memory.backup(shelf.at("agent.backup"), { damaged: "skip" });
    await assert.doesNotReject(backup);
    const report = await backup;
    const sorted = (rows: readonly object[]): readonly string[] =>
      rows.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(sorted(report.skipped), sorted(skipped));
    await memory.close();
    const restored = await shelf.restore("agent.backup", "restored.db", report.watermark, {
      clock: clockAtNoon().now,
    });
    await assertIntact(restored);
    const conversation = restored.conversation(ORCHARD);
    assert.deepEqual(await readIds(conversation), turns);
    assert.deepEqual((await conversation.snapshot()).pins.map(({ key }) => key), pins);
    assert.deepEqual(await readIds(restored.conversation(HARBOUR)), ["t1"]);
    assert.equal((await restored.records.get(FACT))?.value.text, "Kept.");
    // A row that is left out keeps its revision reserved: the next one is above it.
    for (const turnId of ALL.turns.filter((turnId) => !turns.includes(turnId))) {
      const again = {
        turnId,
        scope: ORCHARD,
        messages: [{ messageId: "again", role: "user" as const, content: "again" }],
        revision: 1,
      };
      const put = { operationId: "again", expectedRevision: await conversation.revision() };
      await assert.rejects(conversation.putTurn(again, put), { reason: "REVISION" });
    }
    for (const key of ALL.pins.filter((key) => !pins.includes(key))) {
      await assert.rejects(pinUp(conversation, pinOf(key, "v", { revision: 1 })), { reason: "REVISION" });
    }
    await conversation.append([{ role: "user", content: "x" }]);
    await assertIntact(restored);
  });
}

Deno.test("backup() never leaves out events, floors or meta rows: without them what was deleted could come back (BAD-01)", async () => {
  for (
    const sql of [
      "UPDATE floors SET floor = floor + 1",
      "UPDATE deletions SET at = at + 1",
    ]
  ) {
    await using shelf = await Shelf.make();
    shelf.damaged = true;
    const memory = await shelf.open({ clock: clockAtNoon().now });
    await fill(memory);
    change(shelf.at("agent.db"), sql);
    const names = shelf.names();
    await assert.rejects(memory.backup(shelf.at("agent.backup"), { damaged: "skip" }), { code: "INTEGRITY" });
    assert.deepEqual(shelf.names(), names);
  }
});

Deno.test('backup({ damaged: "skip" }) of an intact store leaves nothing out, and an exported ledger takes no such option', async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open({ clock: clockAtNoon().now });
  await fill(memory);
  const { skipped, watermark } = await memory.backup(shelf.at("agent.backup"), { damaged: "skip" });
  assert.deepEqual(skipped, []);
  const snapshot = await memory.conversation(ORCHARD).snapshot();
  const options = { damaged: "skip" } as object;
  await assert.rejects(memory.exportLedger(shelf.at("agent.ledger"), options), { field: "options" });
  await assert.rejects(memory.backup(shelf.at("second"), { damaged: "yes" } as object), { field: "damaged" });
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", watermark, {
    clock: clockAtNoon().now,
  });
  const { pins, turnCount } = await restored.conversation(ORCHARD).snapshot();
  assert.deepEqual([pins.length, turnCount], [snapshot.pins.length, snapshot.turnCount]);
});

Deno.test("a backup that leaves out a damaged turn holds no byte of it (BAD-01)", async () => {
  await using shelf = await Shelf.make();
  shelf.damaged = true;
  const memory = await shelf.open({ clock: clockAtNoon().now });
  await memory.conversation(ORCHARD).append([{ role: "user", content: "A canary sings here." }]);
  await memory.conversation(ORCHARD).append([{ role: "user", content: "And nobody listens." }]);
  change(shelf.at("agent.db"), "UPDATE turns SET revision = 9 WHERE payload LIKE '%canary%'");
  await memory.backup(shelf.at("agent.backup"), { damaged: "skip" });
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(shelf.at("agent.backup")));
  assert.deepEqual([text.includes("canary"), text.includes("nobody listens")], [false, true]);
});

const BEFORE = defineKind("note", z.strictObject({ text: z.string() }), { ttlMax: null });
const AFTER = defineKind("note", z.strictObject({ text: z.string(), author: z.string() }), { ttlMax: null });
const NOTE = { tenantId: "orchard", kind: "note", key: "pears" };

Deno.test("A value that no longer fits its kind is not damage: it is backed up, restored and listed separately (KND-01)", async () => {
  await using shelf = await Shelf.make();
  shelf.damaged = true; // The check at the end would hide this assertion.
  const first = await shelf.open({ kinds: [BEFORE] });
  const revision = await first.records.put(NOTE, { text: "Grafted." }, { expectedRevision: null, ttl: null });
  await first.close();
  const memory = await shelf.open({ kinds: [AFTER] });
  const { ok, problems, misfits } = await memory.check();
  assert.deepEqual([ok, problems, misfits], [true, [], [{
    row: "orchard/note/pears",
    field: "value.author",
  }]]);
  await assert.rejects(memory.records.get(NOTE), {
    code: "KIND",
    message: "Cannot read record: value.author does not fit the kind note: invalid_type",
    details: { kind: "note", field: "value.author", rule: "invalid_type", version: 1, revision },
  });
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", watermark, { kinds: [AFTER] });
  assert.deepEqual((await restored.check()).misfits.length, 1);
  const value = { text: "Grafted.", author: "Ann" };
  await restored.records.put(NOTE, value, { expectedRevision: revision, ttl: null });
  assert.deepEqual((await restored.records.get(NOTE))?.value, value);
  assert.deepEqual((await restored.check()).misfits, []);
  await assertIntact(restored);
});

for (
  const [what, schema, options] of [
    ["throws", {
      validate: (): never => {
        throw new Error("no");
      },
    }, {}],
    ["is asynchronous by now", { validate: (value: unknown) => Promise.resolve({ value }) }, {}],
    ["takes less by now", { validate: (value: unknown) => ({ value }) }, { maxBytes: 5 }],
  ] as const
) {
  Deno.test(`A kind whose schema ${what} keeps no store from being checked and backed up (KND-01)`, async () => {
    await using shelf = await Shelf.make();
    const first = await shelf.open({ kinds: [BEFORE] });
    await first.records.put(NOTE, { text: "Grafted." }, { expectedRevision: null, ttl: null });
    await first.close();
    const standard = { "~standard": { version: 1, vendor: "test", ...schema } } as const;
    const memory = await shelf.open({ kinds: [defineKind("note", standard, { ttlMax: null, ...options })] });
    const { ok, misfits } = await memory.check();
    assert.deepEqual([ok, misfits], [true, [{ row: "orchard/note/pears", field: "value" }]]);
    await memory.backup(shelf.at("agent.backup"));
  });
}

testThatNothingIsLeftOpen();
