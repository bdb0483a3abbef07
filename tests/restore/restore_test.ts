import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  type Memory,
  type MemoryEvent,
  openMemory,
  restoreMemory,
  summaryFromHistory,
  type Watermark,
} from "../../mod.ts";
import { atNoon, ORCHARD } from "../conversations/samples.ts";
import { searchFiles } from "../deletion/churn.ts";
import { leaveBehind } from "../deletion/leftovers.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { DRIVERS, FACT, factOf, fill, SCOPE, Shelf, textsOf, watermarkOf } from "./shelf.ts";

const RANGE = 2 ** 32;

/** A store with one event, whose backup holds three turns and a fact; one turn and the fact were deleted since. */
async function deletedSince(
  shelf: Shelf,
): Promise<{ readonly memory: Memory; readonly watermark: Watermark; readonly turnIds: readonly string[] }> {
  const memory = await shelf.open();
  const { turnIds } = await fill(memory);
  assert.equal(await memory.records.forget({ ...FACT, key: "never" }, null, { revoke: true }), false);
  await memory.backup(shelf.at("agent.backup"));
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[1]!, expectedRevision: await talk.revision() });
  assert.equal(await memory.records.forget(FACT, 1), true);
  return { memory, watermark: await memory.deletionWatermark(), turnIds };
}

for (const [journal, driver] of DRIVERS) {
  Deno.test(`BAK-07 restoreMemory() restores what the backup had, without what was deleted since, with a ${journal}`, async () => {
    await using shelf = await Shelf.make(driver());
    const { memory, watermark } = await deletedSince(shelf);
    await memory.conversation(SCOPE).append([{ role: "user", content: "After the backup." }]);
    const restored = await shelf.restore("agent.backup", "restored.db", watermark);
    assert.deepEqual(await textsOf(restored), ["The pears were grafted in March.", "Prune before frost."]);
    assert.equal(await restored.records.get(FACT), null);
    const report = restored.restored!;
    assert.deepEqual(report.erased, { records: 1, scopes: 0, turns: 1, pins: 0, entries: 0 });
    assert.deepEqual([report.from.sequence, report.to.sequence, report.generation], [1, 3, 1]);
    assert.deepEqual(report.to, watermark);
    assert.equal(report.ledgerLost, false);
    await assertIntact(restored);
    await memory.close();
    await restored.close();
    const again = await shelf.open({}, "restored.db");
    assert.equal(again.restored, null);
    assert.equal((await textsOf(again)).length, 2);
  });

  Deno.test(`a restore fences the old store, whatever it was doing, with a ${journal}`, async () => {
    await using shelf = await Shelf.make(driver());
    const { memory, watermark } = await deletedSince(shelf);
    const reader = await shelf.open({ readOnly: true });
    const restored = await shelf.restore("agent.backup", "restored.db", watermark);
    const replaced = { code: "REPLACED", details: { by: "restore" } };
    const talk = memory.conversation(SCOPE);
    await assert.rejects(talk.append([{ role: "user", content: "Lost?" }]), replaced);
    await assert.rejects(talk.snapshot(), replaced);
    await assert.rejects(reader.conversation(SCOPE).snapshot(), replaced);
    await assert.rejects(
      memory.records.put(FACT, factOf("Lost?"), { expectedRevision: null, ttl: 60 }),
      replaced,
    );
    await assert.rejects(memory.backup(shelf.at("late")), replaced);
    await assert.rejects(shelf.open(), replaced);
    assert.equal(restored.restored!.fenced.includes(shelf.at("agent.db")), true);
    assert.equal(restored.restored!.fenced.every((path) => path.startsWith(shelf.at("agent.db"))), true);
  });
}

Deno.test("revisions after a restore lie in a range of their own, and no snapshot from before is current", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const before = await memory.conversation(SCOPE).snapshot();
  await memory.backup(shelf.at("agent.backup"));
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", await watermarkOf(shelf));
  const talk = restored.conversation(SCOPE);
  assert.equal(await talk.revision(), RANGE + before.revision);
  await assert.rejects(talk.assertCurrent(before), { reason: "SNAPSHOT" });
  const stale = talk.putTurn(turnOf("late"), { operationId: "late", expectedRevision: before.revision });
  await assert.rejects(stale, { reason: "REVISION", currentRevision: RANGE + before.revision });
  assert.equal((await restored.records.get(FACT))?.revision, 1, "a record keeps its own revision");
  assert.equal(
    await restored.records.put(FACT, factOf("Again."), { expectedRevision: 1, ttl: 60 }),
    RANGE + 2,
  );
  const fresh = restored.conversation({ tenantId: "orchard", sessionId: "autumn" });
  assert.equal(await fresh.create(), RANGE);
  const turns = [];
  for await (const turn of talk.turns()) turns.push(turn.revision);
  assert.deepEqual(turns, [1, 1, 1], "a turn keeps its own revision");
});

function turnOf(text: string): Parameters<ReturnType<Memory["conversation"]>["putTurn"]>[0] {
  return { turnId: text, scope: SCOPE, messages: [{ messageId: text, role: "user", content: text }] };
}

Deno.test("a restore drops summaries, replays and the index, and search rebuilds the index", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const talk = memory.conversation(SCOPE);
  await talk.search("grafted");
  const history = [];
  for await (const turn of talk.turns()) history.push(turn);
  await talk.putSummary(
    await talk.snapshot(),
    summaryFromHistory({
      scope: SCOPE,
      content: "A garden.",
      history,
      policyVersion: "1",
      createdAt: new Date(),
    }),
  );
  await talk.cachePut(await talk.snapshot(), "answer", { text: "In March." });
  await memory.close();
  await Deno.copyFile(shelf.at("agent.db"), shelf.at("agent.backup"));
  const restored = await shelf.restore("agent.backup", "restored.db", await watermarkOf(shelf));
  using file = new DatabaseSync(shelf.at("restored.db"), { readOnly: true });
  const count = (table: string): unknown => file.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!.rows;
  assert.deepEqual(
    ["turns", "summaries", "covered_turns", "replays", "chunk_indexes", "index_terms", "postings"].map(count),
    [3, 0, 0, 0, 0, 0, 0],
  );
  const hits = await restored.conversation(SCOPE).search("grafted");
  assert.equal(hits[0]!.content, "The pears were grafted in March.");
});

Deno.test("what a restore erased leaves no byte in the restored files", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const talk = memory.conversation(SCOPE);
  for (let n = 0; n < 80; n++) {
    await talk.append([{ role: "user", content: `${n % 2 === 0 ? "orchid" : "barley"} `.repeat(20 + n) }]);
  }
  await memory.backup(shelf.at("agent.backup"));
  const doomed: string[] = [];
  for await (const { turnId, messages } of talk.turns()) {
    if (messages[0]!.content.startsWith("orchid")) doomed.push(turnId);
  }
  for (const key of doomed) {
    await talk.delete({ kind: "turn", key, expectedRevision: await talk.revision() });
  }
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", await watermarkOf(shelf));
  assert.equal(restored.restored!.erased.turns, 40);
  await restored.close();
  const text = new TextDecoder("latin1").decode(await Deno.readFile(shelf.at("restored.db")));
  assert.equal(text.includes("barley"), true);
  assert.equal(text.includes("orchid"), false);
  assert.deepEqual(doomed.filter((turnId) => text.includes(turnId)), []);
});

/** A closed store whose file holds copies of what was deleted, as the first of a few seeds leaves it. */
async function withTraces(shelf: Shelf): Promise<void> {
  for (let seed = 1; seed <= 20; seed++) {
    const search = (): ReadonlySet<string> => searchFiles(shelf.at("store")).marks;
    await Deno.mkdir(shelf.at("store"), { mode: 0o700 });
    const { closed } = await leaveBehind(shelf.at("store/agent.db"), seed, search);
    if (closed > 0) return;
    await Deno.remove(shelf.at("store"), { recursive: true });
  }
  assert.fail("no seed left a copy behind");
}

Deno.test("DEL-03 a restore from a plain copy of a closed store leaves no trace of what had been deleted in it", async () => {
  await using shelf = await Shelf.make();
  await withTraces(shelf);
  await Deno.mkdir(shelf.at("new"), { mode: 0o700 });
  const deletionPath = shelf.at("store/agent.db.deletions");
  await using before = await openMemory(shelf.at("store/agent.db"), atNoon());
  const watermark = await before.deletionWatermark();
  await before.close();
  await using restored = await restoreMemory(shelf.at("store/agent.db"), shelf.at("new/agent.db"), {
    ...atNoon(),
    deletionPath,
    watermark,
  });
  const live = new Set<string>();
  for await (const { turnId, messages } of restored.conversation(ORCHARD).turns()) {
    live.add(turnId).add(messages[0]!.content.slice(0, turnId.length));
  }
  await restored.close();
  const { marks } = searchFiles(shelf.at("new"));
  assert.deepEqual([...marks].filter((mark) => !live.has(mark)), []);
  assert.deepEqual([...live].filter((mark) => !marks.has(mark)), []);
});

Deno.test("the same backup can be restored twice, and nothing that was deleted in between comes back", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark, turnIds } = await deletedSince(shelf);
  await memory.close();
  const first = await shelf.restore("agent.backup", "first.db", watermark);
  const talk = first.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
  const second = await shelf.restore("agent.backup", "second.db", await first.deletionWatermark());
  assert.deepEqual(await textsOf(second), ["Prune before frost."]);
  assert.equal(second.restored!.generation, 2);
  assert.equal(await second.conversation(SCOPE).revision() >= 2 * RANGE, true);
  await assert.rejects(talk.snapshot(), { code: "REPLACED" });
});

Deno.test("a receipt is valid after a restore of a backup from before its deletion", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const { turnIds } = await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  const talk = memory.conversation(SCOPE);
  const receipt = await talk.delete({
    kind: "turn",
    key: turnIds[0]!,
    expectedRevision: await talk.revision(),
  });
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", await watermarkOf(shelf));
  assert.equal((await restored.verifyReceipt(receipt)).valid, true);
  const { tenantId } = talk.scope;
  assert.equal((await restored.verifyReceipt(receipt, talk.scope)).about, true);
  assert.equal((await restored.verifyReceipt(receipt, { tenantId: `${tenantId}-2` })).valid, false);
  assert.equal((await restored.verifyReceipt({ ...receipt, scrubbed: !receipt.scrubbed })).authentic, false);
  await assert.rejects(
    restored.conversation(SCOPE).putTurn({ ...turnOf("x"), turnId: turnIds[0]! }, {
      operationId: "again",
      expectedRevision: await restored.conversation(SCOPE).revision(),
    }),
    { reason: "DELETED" },
  );
});

Deno.test("what a restore does is reported, without content", async () => {
  await using shelf = await Shelf.make();
  const { watermark } = await deletedSince(shelf);
  const events: MemoryEvent[] = [];
  const steps = new Set<string>();
  await shelf.restore("agent.backup", "restored.db", watermark, {
    onEvent: (event) => events.push(event),
    onProgress: ({ step }) => steps.add(step),
  });
  await new Promise<void>((resolve) => queueMicrotask(resolve));
  assert.deepEqual([...steps], ["copy", "check", "apply"]);
  assert.deepEqual(events.map(({ operation, counts }) => [operation, counts]), [
    ["restore", { records: 1, scopes: 0, turns: 1, pins: 0, entries: 0 }],
  ]);
});

/** Refused restores, which change nothing: how to cause each, and its error. */
const REFUSED: readonly (readonly [
  title: string,
  arrange: (shelf: Shelf) => Promise<void> | void,
  error: Record<string, unknown>,
])[] = [
  ["a ledger that is missing", (shelf) => Deno.removeSync(shelf.at("agent.db.deletions")), {
    code: "INTEGRITY",
  }],
  ["a ledger that is empty", (shelf) => Deno.truncateSync(shelf.at("agent.db.deletions")), {
    code: "INTEGRITY",
  }],
  ["a ledger of another store", replaceLedger, { code: "INTEGRITY" }],
  [
    "a ledger with a hole",
    (shelf) => change(shelf, "agent.db.deletions", "DELETE FROM events WHERE sequence = 1"),
    {
      code: "INTEGRITY",
    },
  ],
  [
    "a ledger with a forged event",
    (shelf) => change(shelf, "agent.db.deletions", "UPDATE events SET floor = 9 WHERE sequence = 1"),
    {
      code: "INTEGRITY",
    },
  ],
  ["a destination that is there", (shelf) => Deno.writeTextFileSync(shelf.at("restored.db"), "Mine."), {
    code: "EXISTS",
  }],
  [
    "BAK-02 a -wal at the destination",
    (shelf) => Deno.writeTextFileSync(shelf.at("restored.db-wal"), "Old."),
    {
      code: "EXISTS",
    },
  ],
  [
    "BAK-02 a -journal at the destination",
    (shelf) => Deno.writeTextFileSync(shelf.at("restored.db-journal"), "Old."),
    {
      code: "EXISTS",
    },
  ],
  [
    "a live store at the destination",
    (shelf) => Deno.copyFileSync(shelf.at("agent.db"), shelf.at("restored.db")),
    {
      code: "EXISTS",
    },
  ],
  [
    "a backup at the destination",
    (shelf) => Deno.copyFileSync(shelf.at("agent.backup"), shelf.at("restored.db")),
    { code: "EXISTS" },
  ],
  ["a backup that is missing", (shelf) => Deno.removeSync(shelf.at("agent.backup")), { code: "IO" }],
  ["BAK-02 a backup with a -wal", (shelf) => Deno.writeTextFileSync(shelf.at("agent.backup-wal"), "Old."), {
    code: "UNSAFE",
  }],
  ["a backup that others may read", (shelf) => Deno.chmodSync(shelf.at("agent.backup"), 0o644), {
    code: "UNSAFE",
  }],
  ["BAK-06 a backup of no bytes", (shelf) => Deno.truncateSync(shelf.at("agent.backup")), {
    code: "INTEGRITY",
  }],
  ["BAK-06 a backup cut to a page", (shelf) => Deno.truncateSync(shelf.at("agent.backup"), 4_096), {
    code: "CORRUPT",
  }],
  ["BAK-06 a backup of text", (shelf) => Deno.writeTextFileSync(shelf.at("agent.backup"), "Dear all,"), {
    code: "CORRUPT",
  }],
  ["BAK-06 a backup with a flipped bit", (shelf) => flip(shelf.at("agent.backup"), "grafted"), {
    code: "INTEGRITY",
  }],
  ["BAK-06 a backup with two pages swapped", (shelf) => swapPages(shelf.at("agent.backup")), {}],
  ["BAK-06 a backup with bytes cut from its end", (shelf) => cutPages(shelf.at("agent.backup")), {}],
  [
    "BAK-09 a backup of another program",
    (shelf) => change(shelf, "agent.backup", "PRAGMA application_id = 7"),
    {
      code: "UNSAFE",
    },
  ],
  [
    "BAK-09 a ledger as backup",
    (shelf) => Deno.copyFileSync(shelf.at("agent.db.deletions"), shelf.at("agent.backup")),
    {
      code: "UNSAFE",
    },
  ],
  [
    "BAK-09 a backup of a newer schema",
    (shelf) => change(shelf, "agent.backup", "PRAGMA user_version = 99"),
    {
      code: "SCHEMA",
    },
  ],
  [
    "BAK-09 a backup of a negative schema",
    (shelf) => change(shelf, "agent.backup", "PRAGMA user_version = -1"),
    {
      code: "SCHEMA",
    },
  ],
  [
    "a backup with a trigger",
    (shelf) =>
      change(
        shelf,
        "agent.backup",
        "CREATE TRIGGER t AFTER DELETE ON turns BEGIN DELETE FROM floors; END",
      ),
    {
      code: "INTEGRITY",
    },
  ],
  [
    "a backup with a table of another shape",
    (shelf) => change(shelf, "agent.backup", "ALTER TABLE pins RENAME COLUMN payload TO body"),
    { code: "INTEGRITY" },
  ],
  [
    "a backup with a deletion taken out",
    (shelf) => change(shelf, "agent.backup", "DELETE FROM deletions"),
    {
      code: "INTEGRITY",
    },
  ],
];

async function replaceLedger(shelf: Shelf): Promise<void> {
  await using other = await openMemory(shelf.at("other.db"));
  await other.close();
  Deno.renameSync(shelf.at("other.db.deletions"), shelf.at("agent.db.deletions"));
  Deno.removeSync(shelf.at("other.db"));
}

function change(shelf: Shelf, name: string, sql: string): void {
  using file = new DatabaseSync(shelf.at(name));
  file.exec(sql);
}

function flip(path: string, word: string): void {
  const bytes = Deno.readFileSync(path);
  const at = new TextDecoder("latin1").decode(bytes).indexOf(word);
  bytes[at] = bytes[at]! ^ 1;
  Deno.writeFileSync(path, bytes);
}

function swapPages(path: string): void {
  const bytes = Deno.readFileSync(path);
  const page = (number: number): Uint8Array => bytes.slice((number - 1) * 4_096, number * 4_096);
  const [fifth, ninth] = [page(5), page(9)];
  bytes.set(ninth, 4 * 4_096);
  bytes.set(fifth, 8 * 4_096);
  Deno.writeFileSync(path, bytes);
}

function cutPages(path: string): void {
  Deno.truncateSync(path, Deno.statSync(path).size - 3 * 4_096);
}

for (const [title, arrange, error] of REFUSED) {
  Deno.test(`restoreMemory() refuses ${title}, and changes nothing`, async () => {
    await using shelf = await Shelf.make();
    const { memory, watermark } = await deletedSince(shelf);
    await memory.close();
    shelf.damaged = true;
    await arrange(shelf);
    const before = shelf.digests();
    await assert.rejects(
      shelf.restore("agent.backup", "restored.db", watermark),
      (thrown: { code?: unknown }) => {
        assert(
          ["INTEGRITY", "CORRUPT", "EXISTS", "IO", "UNSAFE", "SCHEMA", "RESTORE"].includes(
            String(thrown.code),
          ),
        );
        for (const [key, value] of Object.entries(error)) {
          assert.deepEqual((thrown as Record<string, unknown>)[key], value);
        }
        return true;
      },
    );
    assert.deepEqual(shelf.digests(), before);
  });
}

Deno.test("restoreMemory() refuses a ledger that is older than the watermark, or has another history", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.close();
  const refuse = async (wrong: Partial<Watermark>): Promise<void> => {
    const before = shelf.digests();
    await assert.rejects(shelf.restore("agent.backup", "restored.db", { ...watermark, ...wrong }), {
      code: "INTEGRITY",
    });
    assert.deepEqual(shelf.digests(), before);
  };
  await refuse({ sequence: 4 });
  await refuse({ head: "0".repeat(64) });
  await refuse({ lineage: "0".repeat(32) });
});

Deno.test("restoreMemory() refuses a ledger that is older than the backup", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.exportLedger(shelf.at("old.ledger"));
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "scope", expectedRevision: await talk.revision() });
  await memory.backup(shelf.at("newer.backup"));
  await memory.close();
  await assert.rejects(
    shelf.restore("newer.backup", "restored.db", watermark, {
      deletionPath: shelf.at("new.deletions"),
      ledgerExport: shelf.at("old.ledger"),
    }),
    { code: "INTEGRITY", message: "Cannot restore: the ledger is older than the backup" },
  );
  assert.equal(shelf.names().includes("restored.db"), false);
});

Deno.test("restoreMemory() refuses invalid arguments before it reads anything", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.close();
  const before = shelf.digests();
  const deletionPath = shelf.at("agent.db.deletions");
  const refuse = async (
    field: string,
    options: unknown,
    backup = "agent.backup",
    to = "r.db",
  ): Promise<void> => {
    await assert.rejects(restoreMemory(shelf.at(backup), shelf.at(to), options as never), {
      code: "CONTRACT",
      field,
    });
  };
  await refuse("options", undefined);
  await refuse("deletionPath", { watermark });
  await refuse("watermark", { deletionPath });
  await refuse("watermark.head", { deletionPath, watermark: { ...watermark, head: "1" } });
  await refuse("watermark.sequence", { deletionPath, watermark: { ...watermark, sequence: -1 } });
  await refuse("watermark", { deletionPath, watermark, ledgerLost: true });
  await refuse("ledgerLost", { deletionPath, ledgerLost: "yes" });
  await refuse("readOnly", { deletionPath, watermark, readOnly: true });
  await refuse("signal", { deletionPath, watermark, signal: {} });
  await refuse("options", { deletionPath, watermark, force: true });
  await refuse("backup", { deletionPath, watermark }, "r.db", "r.db");
  await refuse("deletionPath", { deletionPath, watermark }, "agent.backup", "agent.db.deletions");
  await refuse("destination", { deletionPath, watermark }, "agent.backup", "..");
  await assert.rejects(restoreMemory(shelf.at("agent.backup"), ":memory:", { deletionPath, watermark }), {
    code: "CONTRACT",
    field: "destination",
  });
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("a restore that is cancelled at any step leaves the old store live and nothing else", async () => {
  for (const at of ["copy", "apply", "check"] as const) {
    await using shelf = await Shelf.make();
    const { memory, watermark } = await deletedSince(shelf);
    const names = shelf.names();
    const controller = new AbortController();
    const reason = new Error("Enough.");
    await assert.rejects(
      shelf.restore("agent.backup", "restored.db", watermark, {
        signal: controller.signal,
        onProgress: ({ step }) => {
          if (step === at) controller.abort(reason);
        },
      }),
      (error) => error === reason,
    );
    assert.deepEqual(shelf.names(), names);
    assert.equal((await memory.conversation(SCOPE).snapshot()).turnCount, 2);
  }
});

/** Restores in a process of its own, without letting anything here run meanwhile. */
function restoreElsewhere(shelf: Shelf, destination: string, watermark: Watermark): void {
  const program = new URL("./programs/restoring.ts", import.meta.url).pathname;
  const paths = ["agent.backup", destination, "agent.db.deletions"].map((name) => shelf.at(name));
  const { success, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, ...paths, JSON.stringify(watermark)],
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test("of two restores at once one is live, and the other is refused", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  let isOtherDone = false;
  const slower = shelf.restore("agent.backup", "slower.db", watermark, {
    // By then it knows the number of restores of the lineage, and nothing of it is live.
    onProgress({ step }): void {
      if (step !== "apply" || isOtherDone) return;
      isOtherDone = true;
      restoreElsewhere(shelf, "faster.db", watermark);
    },
  });
  await assert.rejects(slower, { code: "REPLACED", details: { by: "restore" } });
  await assert.rejects(memory.conversation(SCOPE).snapshot(), { code: "REPLACED" });
  assert.deepEqual(shelf.names().filter((name) => /^(slower|faster)\.db$/.test(name)), ["faster.db"]);
  const live = await shelf.open({}, "faster.db");
  assert.deepEqual(await textsOf(live), ["The pears were grafted in March.", "Prune before frost."]);
});

Deno.test("TST-12 of two restores that race exactly one is live, however far each has come before the other", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  const results = await Promise.allSettled(
    ["first.db", "second.db"].map((name) => shelf.restore("agent.backup", name, watermark)),
  );
  const restored = results.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    assert.deepEqual([result.reason.code, result.reason.details], ["REPLACED", { by: "restore" }]);
  }
  await assert.rejects(memory.conversation(SCOPE).snapshot(), { code: "REPLACED" });
  assert.equal(shelf.names().filter((name) => /^(first|second)\.db$/.test(name)).length, restored.length);
  // If they run in sequence both succeed, and the later one has fenced off the earlier one.
  const answers = await Promise.allSettled(restored.map((each) => each.conversation(SCOPE).snapshot()));
  assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
  const latest = restored.toSorted((left, right) =>
    right.restored!.generation - left.restored!.generation
  )[0]!;
  assert.equal(answers[restored.indexOf(latest)]!.status, "fulfilled");
  assert.equal(latest.restored!.generation, restored.length);
});

Deno.test("of two restores at once to one destination one is live, and the other is refused", async () => {
  await using shelf = await Shelf.make();
  const { watermark } = await deletedSince(shelf);
  const results = await Promise.allSettled([
    shelf.restore("agent.backup", "restored.db", watermark),
    shelf.restore("agent.backup", "restored.db", watermark),
  ]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const refused = results.find((result) => result.status === "rejected")!;
  assert(["BUSY", "EXISTS"].includes(refused.reason.code));
});

Deno.test("a lost ledger can be recreated from the backup, and the report says so", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.backup(shelf.at("newer.backup"));
  await memory.close();
  await assert.rejects(
    shelf.restore(
      "newer.backup",
      "restored.db",
      watermark,
      { watermark: undefined, ledgerLost: true } as never,
    ),
    { code: "EXISTS" },
  );
  Deno.removeSync(shelf.at("agent.db.deletions"));
  const restored = await shelf.restore("newer.backup", "restored.db", watermark, {
    watermark: undefined,
    ledgerLost: true,
  } as never);
  const report = restored.restored!;
  assert.equal(report.ledgerLost, true);
  assert.deepEqual(report.to, watermark);
  assert(report.generation > 1_000, "a range that no restore of the lost ledger can have given");
  assert.deepEqual(await textsOf(restored), ["The pears were grafted in March.", "Prune before frost."]);
  await assertIntact(restored);
  await assert.rejects(shelf.open(), { code: "REPLACED" });
});

/** A store, its backup, and a copy of its ledger that has all deletions; then another restore, and the ledger is lost. */
async function ledgerLostAfterARestore(
  shelf: Shelf,
): Promise<{ readonly watermark: Watermark; readonly revision: number }> {
  const { memory, watermark } = await deletedSince(shelf);
  await memory.exportLedger(shelf.at("agent.ledger"));
  await memory.close();
  const second = await shelf.restore("agent.backup", "second.db", watermark);
  const revision = await second.records.put(FACT, factOf("Later."), { expectedRevision: null, ttl: 60 });
  await second.close();
  Deno.removeSync(shelf.at("agent.db.deletions"));
  return { watermark, revision };
}

Deno.test("a lost ledger is recreated from its export, which has the deletions and is not changed", async () => {
  await using shelf = await Shelf.make();
  const { watermark } = await ledgerLostAfterARestore(shelf);
  const before = shelf.digests()["agent.ledger"];
  const ledgerExport = shelf.at("agent.ledger");
  const restored = await shelf.restore("agent.backup", "restored.db", watermark, { ledgerExport });
  assert.deepEqual(restored.restored!.erased, { records: 1, scopes: 0, turns: 1, pins: 0, entries: 0 });
  assert.equal(restored.restored!.ledgerLost, false);
  assert.equal(shelf.digests()["agent.ledger"], before);
  await restored.close();
  assert.equal((await textsOf(await shelf.open({}, "restored.db"))).length, 2);
});

Deno.test("a ledger from its export issues no revision again that a restore unknown to it has issued", async () => {
  await using shelf = await Shelf.make();
  const { watermark, revision } = await ledgerLostAfterARestore(shelf);
  const ledgerExport = shelf.at("agent.ledger");
  const restored = await shelf.restore("agent.backup", "restored.db", watermark, { ledgerExport });
  assert(restored.restored!.generation > 1_000);
  const mine = await restored.records.put(FACT, factOf("Mine."), { expectedRevision: null, ttl: 60 });
  assert(mine > revision);
  const stale = restored.records.put(FACT, factOf("Stale."), { expectedRevision: revision, ttl: 60 });
  await assert.rejects(stale, { reason: "REVISION", currentRevision: mine });
});

Deno.test("a ledger from its export revives no fenced-off store, and fences off the last one too", async () => {
  await using shelf = await Shelf.make();
  const { watermark } = await ledgerLostAfterARestore(shelf);
  await shelf.restore("agent.backup", "restored.db", watermark, { ledgerExport: shelf.at("agent.ledger") });
  for (const fenced of ["agent.db", "second.db"]) {
    await assert.rejects(shelf.open({}, fenced), { code: "REPLACED", details: { by: "restore" } });
  }
});

Deno.test("an exported ledger is not a ledger: in a ledger's place it is refused, and not changed", async () => {
  await using shelf = await Shelf.make();
  const { watermark } = await ledgerLostAfterARestore(shelf);
  Deno.copyFileSync(shelf.at("agent.ledger"), shelf.at("agent.db.deletions"));
  const before = shelf.digests();
  for (const name of ["agent.db", "second.db"]) {
    await assert.rejects(shelf.open({}, name), { code: "RESTORE" });
  }
  await assert.rejects(shelf.restore("agent.backup", "restored.db", watermark), { code: "RESTORE" });
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("a restore with an exported ledger is a rehearsal: the live store stays live", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.exportLedger(shelf.at("agent.ledger"));
  const drill = await shelf.restore("agent.backup", "drill.db", watermark, {
    deletionPath: shelf.at("drill.deletions"),
    ledgerExport: shelf.at("agent.ledger"),
  });
  assert.deepEqual(await textsOf(drill), await textsOf(memory));
  assert.deepEqual(drill.restored!.fenced, []);
  await memory.conversation(SCOPE).append([{ role: "user", content: "Still here." }]);
});

Deno.test("restoreMemory() refuses an exported ledger while the ledger itself exists, and changes nothing", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.exportLedger(shelf.at("agent.ledger"));
  await memory.close();
  const before = shelf.digests();
  await assert.rejects(
    shelf.restore("agent.backup", "restored.db", watermark, { ledgerExport: shelf.at("agent.ledger") }),
    { code: "EXISTS", details: { name: "agent.db.deletions" } },
  );
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("what a restore lists as fenced off is a main of the lineage, and no other file with its name", async () => {
  await using shelf = await Shelf.make();
  const { memory, watermark } = await deletedSince(shelf);
  await memory.close();
  Deno.renameSync(shelf.at("agent.db"), shelf.at("moved.db"));
  Deno.writeTextFileSync(shelf.at("agent.db"), "A stranger's notes.");
  const restored = await shelf.restore("agent.backup", "restored.db", watermark);
  assert.deepEqual(restored.restored!.fenced, []);
});

Deno.test({
  name:
    "a restore whose destination cannot be opened next to its ledger is refused, and leaves no destination",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  async fn(): Promise<void> {
    await using shelf = await Shelf.make();
    const { memory, watermark } = await deletedSince(shelf);
    await memory.close();
    Deno.chownSync(shelf.at("agent.db.deletions"), 65_534, 65_534);
    const names = shelf.names();
    await assert.rejects(shelf.restore("agent.backup", "restored.db", watermark), { code: "UNSAFE" });
    assert.deepEqual(shelf.names(), names);
    Deno.chownSync(shelf.at("agent.db.deletions"), 0, 0);
    assert.equal((await textsOf(await shelf.open())).length, 2);
  },
});

Deno.test("a store whose files are missing is not recreated while a restore of it is unfinished", async () => {
  for (const left of ["agent.db.restoring", "agent.db.deletions.restoring"]) {
    await using shelf = await Shelf.make();
    Deno.writeTextFileSync(shelf.at(left), "", { mode: 0o600 });
    await assert.rejects(shelf.open(), { code: "RESTORE" });
    assert.deepEqual(shelf.names(), [left]);
  }
});

testThatNothingIsLeftOpen();
