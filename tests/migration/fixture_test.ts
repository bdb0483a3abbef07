/** A store that version 1 of the schema wrote, as it was kept. */

import assert from "node:assert/strict";
import { assertSchema } from "../../src/engines/sqlite/database/assert_schema.ts";
import { Connection } from "../../src/engines/sqlite/database/connection.ts";
import { LEDGER, MAIN } from "../../src/engines/sqlite/database/database.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { type Memory, openMemory } from "../../mod.ts";
import { NOON_MS, NOTE } from "../fixtures/make_version_1.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const FIXTURE = new URL("../fixtures/version_1/", import.meta.url);
const NAMES = ["agent.db", "agent.db.deletions"] as const;
const SCOPE = { tenantId: "orchard", sessionId: "spring" };

/** A copy that is private, wherever it was checked out. */
async function copyFixture(): Promise<TemporaryDirectory> {
  const directory = await TemporaryDirectory.make();
  for (const name of NAMES) {
    await Deno.writeFile(directory.file(name), await Deno.readFile(new URL(name, FIXTURE)), { mode: 0o600 });
  }
  return directory;
}

function open(directory: TemporaryDirectory): Promise<Memory> {
  return openMemory(directory.file("agent.db"), { clock: () => NOON_MS, kinds: [NOTE] });
}

Deno.test("A store of version 1 opens with all it holds", async () => {
  await using directory = await copyFixture();
  await using memory = await open(directory);
  const { records } = memory;
  const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
  assert.deepEqual((await records.get(run))?.value, { schema: 1, step: 1, items: ["pears"] });
  const note = { tenantId: "Öbst & Söhne", kind: "note", key: "thread/7" };
  assert.deepEqual(await records.get(note), { revision: 2, expires: null, value: { text: "Grüße 👋" } });
  assert.equal(await records.get({ ...run, key: "run-b" }), null);

  const talk = memory.conversation(SCOPE);
  const turns = [];
  for await (const turn of talk.turns()) turns.push(turn);
  assert.deepEqual(turns.map(({ messages }) => messages.map(({ messageId }) => messageId)), [
    ["ask", "call", "result", "answer"],
    ["until"],
  ]);
  assert.equal(turns[0]!.messages[0]!.content, "How deep is the well? 井戸の深さは?");
  const snapshot = await talk.snapshot();
  assert.deepEqual(snapshot.pins.map(({ key, value }) => [key, value]), [["well", "Forty metres."]]);
  assert.equal(snapshot.summary?.content, "The well is deep.");
  assert.deepEqual(await talk.cacheGet(snapshot, "depth"), { metres: 40 });
  assert.equal((await talk.search("forty"))[0]!.content, "Forty metres.");
  assert.deepEqual(await Array.fromAsync(memory.journal(SCOPE, "survey").read()), [
    { place: 1, uuid: "e1", json: { depth: 40, "Ort": "Brunnen 井戸" } },
    { place: 2, uuid: null, json: [1, null] },
  ]);
  await assertIntact(memory);
});

Deno.test("A store of version 1 keeps its promises: what it deleted stays so, a repeated call is known, revisions go on", async () => {
  await using directory = await copyFixture();
  await using memory = await open(directory);
  const { records } = memory;
  const run = { tenantId: "orchard", kind: "checkpoint", key: "run-c" } as const;
  const value = { schema: 1, step: 0, items: [] } as const;
  await assert.rejects(records.put(run, value, { expectedRevision: null, ttl: 60 }), { reason: "DELETED" });
  const note = { tenantId: "Öbst & Söhne", kind: "note", key: "thread/7" };
  const again = await records.put(note, { text: "Grüße 👋" }, {
    expectedRevision: null,
    ttl: null,
    operationId: "first note",
  });
  assert.equal(again, 2);
  assert.equal(await records.put({ ...run, key: "run-b" }, value, { expectedRevision: null, ttl: 60 }), 5);
  const { sequence } = await memory.deletionWatermark();
  assert.equal(sequence, 3);
  await assertIntact(memory);
});

Deno.test("The schema of version 1 is what it was when stores were written with it", async () => {
  await using directory = await copyFixture();
  for (const [name, kind] of [[NAMES[0], MAIN], [NAMES[1], LEDGER]] as const) {
    const connection = Connection.open(kind.name, nodeSqlite, directory.file(name), { readOnly: true });
    try {
      assertSchema(connection, kind);
    } finally {
      connection.close();
    }
  }
});

testThatNothingIsLeftOpen();
