import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type BackupProgress, openMemory } from "../../mod.ts";
import { HurriedStopwatch } from "../kit/hurried_stopwatch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { DRIVERS, FACT, factOf, fill, outline, SCOPE, Shelf, textsOf } from "./shelf.ts";

for (const [journal, driver] of DRIVERS) {
  Deno.test(`BAK-01 backup() holds all that was acknowledged before it, in one file, with a ${journal}`, async () => {
    await using shelf = await Shelf.make(driver());
    const memory = await shelf.open();
    await fill(memory);
    const names = shelf.names();
    const report = await memory.backup(shelf.at("agent.backup"));
    assert.deepEqual(outline(report), { of: "store", generation: 0, sequence: 0 });
    assert.deepEqual(report.watermark, await memory.deletionWatermark());
    assert.deepEqual(shelf.names(), [...names, "agent.backup"].sort());
    const texts = await textsOf(memory);
    await memory.close();
    const restored = await shelf.restore("agent.backup", "restored.db", report.watermark);
    assert.deepEqual(await textsOf(restored), texts);
    assert.equal((await restored.records.get(FACT))?.value.text, "The graft took.");
  });
}

Deno.test("a backup is not a store: opening it says that it must be restored, and changes nothing", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  await memory.close();
  const before = shelf.digests()["agent.backup"];
  for (const options of [{}, { readOnly: true }]) {
    await assert.rejects(shelf.open(options, "agent.backup"), {
      code: "RESTORE",
      message: "Cannot open store: the store is a backup; restore it",
    });
  }
  assert.equal(shelf.digests()["agent.backup"], before);
  assert.equal(shelf.names().some((name) => name.startsWith("agent.backup-")), false);
});

Deno.test("backup() creates a private file, owned by its caller, that no process has open", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  const { mode, nlink, size } = await Deno.lstat(shelf.at("agent.backup"));
  if (Deno.build.os !== "windows") assert.equal(mode! & 0o777, 0o600);
  assert.equal(nlink, 1);
  assert((await memory.backup(shelf.at("second"))).bytes === size);
});

Deno.test("backup() leaves out what can be rebuilt, indexes and replays", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const talk = memory.conversation(SCOPE);
  assert.equal((await talk.search("grafted")).length > 0, true);
  await talk.cachePut(await talk.snapshot(), "answer", { text: "In March." });
  await memory.backup(shelf.at("agent.backup"));
  using file = new DatabaseSync(shelf.at("agent.backup"), { readOnly: true });
  const count = (table: string): unknown => file.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!.rows;
  assert.deepEqual(
    ["turns", "records", "replays", "chunk_indexes", "indexed_turns", "index_terms", "postings"].map(count),
    [3, 1, 0, 0, 0, 0, 0],
  );
});

Deno.test("DEL-03 backup() holds no trace of what was deleted before it, although nothing was scrubbed", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const talk = memory.conversation(SCOPE);
  for (let n = 0; n < 40; n++) {
    await talk.append([{ role: "user", content: `${n % 2 === 0 ? "orchid" : "barley"} `.repeat(60 + n) }]);
  }
  const doomed: string[] = [];
  for await (const turn of talk.turns()) {
    if (turn.messages[0]!.content.startsWith("orchid")) doomed.push(turn.turnId);
  }
  for (const key of doomed) {
    await talk.delete({ kind: "turn", key, expectedRevision: await talk.revision() });
  }
  await memory.backup(shelf.at("agent.backup"));
  const text = new TextDecoder("latin1").decode(await Deno.readFile(shelf.at("agent.backup")));
  assert.equal(text.includes("barley"), true);
  assert.equal(text.includes("orchid"), false);
  assert.equal(doomed.some((turnId) => text.includes(turnId)), false);
});

Deno.test("BAK-01 backup() sees one moment, and a writer does not make it start over", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const talk = memory.conversation(SCOPE);
  for (let n = 0; n < 200; n++) await talk.append([{ role: "user", content: `Turn ${n}.` }]);
  const copied: number[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  const onProgress = ({ step, part, rows }: BackupProgress): void => {
    if (step !== "copy" || part !== "turns") return;
    copied.push(rows);
    writing = writing.then(() => talk.append([{ role: "user", content: "Meanwhile." }]));
  };
  {
    using _ = new HurriedStopwatch(); // yields after each batch, however short it was
    await assert.doesNotReject(memory.backup(shelf.at("agent.backup"), { onProgress }));
  }
  await writing;
  assert.deepEqual(copied, [32, 64, 96, 128, 160, 192, 200]);
  assert.equal((await talk.snapshot()).turnCount, 207);
  using file = new DatabaseSync(shelf.at("agent.backup"), { readOnly: true });
  assert.equal(file.prepare("SELECT count(*) AS rows FROM turns").get()!.rows, 200);
});

for (const taken of ["agent.backup", "agent.backup-wal", "agent.backup-shm", "agent.backup-journal"]) {
  Deno.test(`BAK-04 backup() never writes over ${taken}`, async () => {
    await using shelf = await Shelf.make();
    const memory = await shelf.open();
    await fill(memory);
    await Deno.writeTextFile(shelf.at(taken), "Somebody's.");
    const names = shelf.names();
    await assert.rejects(memory.backup(shelf.at("agent.backup")), { code: "EXISTS" });
    assert.equal(await Deno.readTextFile(shelf.at(taken)), "Somebody's.");
    assert.deepEqual(shelf.names(), names);
  });
}

Deno.test("BAK-04 of two concurrent backups to one destination one succeeds, and the other is refused", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const results = await Promise.allSettled([
    memory.backup(shelf.at("agent.backup")),
    memory.backup(shelf.at("agent.backup")),
  ]);
  const refused = results.filter((result) => result.status === "rejected");
  assert.equal(refused.length, 1);
  assert(["BUSY", "EXISTS"].includes(refused[0]!.reason.code));
  assert.equal(shelf.names().includes("agent.backup"), true);
  assert.equal(shelf.names().includes("agent.backup.partial"), false);
});

Deno.test("BAK-04 backup() removes what a killed one left under its work name", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("whole"));
  const half = (await Deno.readFile(shelf.at("whole"))).slice(0, 8_192);
  await Deno.writeFile(shelf.at("agent.backup.partial"), half, { mode: 0o600 });
  await Deno.writeTextFile(shelf.at("agent.backup.partial-journal"), "a journal", { mode: 0o600 });
  await assert.doesNotReject(memory.backup(shelf.at("agent.backup")));
  assert.equal(shelf.names().some((name) => name.includes("partial")), false);
});

Deno.test("BAK-04 a file of another program under a work name is kept, and the backup says so", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await Deno.writeTextFile(shelf.at("notes.partial"), "Half of a download, or notes of somebody's.");
  const before = shelf.digests()["notes.partial"];
  await assert.rejects(memory.backup(shelf.at("notes")), {
    code: "EXISTS",
    details: { name: "notes.partial" },
  });
  assert.equal(shelf.digests()["notes.partial"], before);
});

Deno.test("a backup whose name leaves no room for those of its sidecars is refused, and leaves nothing", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const names = shelf.names();
  for (let round = 0; round < 2; round++) {
    await assert.rejects(memory.backup(shelf.at("n".repeat(245))), {
      code: "IO",
      details: { bytes: 261, maximum: 255 },
    });
  }
  await assert.rejects(memory.backup(shelf.at("n".repeat(240))), { details: { bytes: 256, maximum: 255 } });
  assert.deepEqual(shelf.names(), names);
});

Deno.test("a backup that is cancelled rejects with the signal's reason and leaves nothing", async () => {
  for (const at of [0, 1, 10, 11, 15]) {
    await using shelf = await Shelf.make();
    const memory = await shelf.open();
    await fill(memory);
    const names = shelf.names();
    const controller = new AbortController();
    let told = 0;
    const reason = new Error("Enough.");
    if (at === 0) controller.abort(reason);
    const backup = memory.backup(shelf.at("agent.backup"), {
      signal: controller.signal,
      onProgress: () => {
        if (++told === at) controller.abort(reason);
      },
    });
    await assert.rejects(backup, (error) => error === reason, `cancelled at ${at}`);
    assert.deepEqual(shelf.names(), names);
  }
});

Deno.test("a callback that throws ends a backup with its error and leaves nothing", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const names = shelf.names();
  const thrown = new Error("The bar broke.");
  const onProgress = (): never => {
    throw thrown;
  };
  await assert.rejects(memory.backup(shelf.at("agent.backup"), { onProgress }), (error) => error === thrown);
  assert.deepEqual(shelf.names(), names);
});

Deno.test("backup() and exportLedger() refuse invalid arguments before anything is created", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const names = shelf.names();
  for (const make of ["backup", "exportLedger"] as const) {
    const call = (destination: unknown, options?: unknown): Promise<unknown> =>
      memory[make](destination as string, options as undefined);
    await assert.rejects(call(""), { code: "CONTRACT", field: "destination" });
    await assert.rejects(call(":memory:"), { code: "CONTRACT", field: "destination" });
    await assert.rejects(call(7), { code: "CONTRACT", field: "destination" });
    await assert.rejects(call(new URL("https://example.org/a")), { code: "CONTRACT", field: "destination" });
    await assert.rejects(call(shelf.at("b"), { onProgress: 1 }), { code: "CONTRACT", field: "onProgress" });
    await assert.rejects(call(shelf.at("b"), { signal: 1 }), { code: "CONTRACT", field: "signal" });
    await assert.rejects(call(shelf.at("b"), { overwrite: true }), { code: "CONTRACT", field: "options" });
  }
  assert.deepEqual(shelf.names(), names);
});

Deno.test("backup() of a store in memory holds what it has", async () => {
  await using shelf = await Shelf.make();
  await using memory = await openMemory(":memory:");
  await fill(memory);
  assert.deepEqual(outline(await memory.backup(shelf.at("agent.backup"))), {
    of: "store",
    generation: 0,
    sequence: 0,
  });
  await memory.exportLedger(shelf.at("agent.ledger"));
  const restored = await shelf.restore("agent.backup", "restored.db", await memory.deletionWatermark(), {
    ledgerExport: shelf.at("agent.ledger"),
  });
  assert.deepEqual(await textsOf(restored), await textsOf(memory));
});

Deno.test("backup() of a read-only store works", async () => {
  await using shelf = await Shelf.make();
  const writer = await shelf.open();
  await fill(writer);
  const reader = await shelf.open({ readOnly: true });
  const { watermark } = await reader.backup(shelf.at("agent.backup"));
  assert.deepEqual(watermark, await writer.deletionWatermark());
});

Deno.test("BAK-06 backup() of a damaged store says what is damaged and creates nothing", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const { turnIds } = await fill(memory);
  shelf.damaged = true;
  using file = new DatabaseSync(shelf.at("agent.db"));
  file.prepare("UPDATE turns SET payload = replace(payload, 'pears', 'plums') WHERE turn_id = ?").run(
    turnIds[0]!,
  );
  const names = shelf.names();
  await assert.rejects(memory.backup(shelf.at("agent.backup")), {
    code: "INTEGRITY",
    details: {
      problems: 1,
      table: "turns",
      tenantId: SCOPE.tenantId,
      sessionId: SCOPE.sessionId,
      turnId: turnIds[0]!,
    },
  });
  assert.deepEqual(shelf.names(), names);
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
  await memory.backup(shelf.at("agent.backup"));
  shelf.damaged = false;
});

Deno.test("backup() completes a recorded deletion first", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const { turnIds } = await fill(memory);
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[1]!, expectedRevision: await talk.revision() });
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  assert.equal(watermark.sequence, 1);
});

Deno.test("exportLedger() holds every event, and no text", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  assert.equal(await memory.records.forget(FACT, 1), true);
  const report = await memory.exportLedger(shelf.at("agent.ledger"));
  assert.deepEqual(outline(report), { of: "ledger", generation: 0, sequence: 1 });
  const text = new TextDecoder("latin1").decode(await Deno.readFile(shelf.at("agent.ledger")));
  assert.equal(["orchard", "graft", "pears"].some((word) => text.includes(word)), false);
  await memory.records.put(FACT, factOf("Again."), { expectedRevision: null, ttl: 3_600 });
});

testThatNothingIsLeftOpen();
