/** Scrubbing: which tables are rewritten, that nothing is lost by it, and what stands in its way. */

import assert from "node:assert/strict";
import type { Conversation, Memory } from "@holdfast/memory";
import {
  after,
  atNoon,
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  revise,
  summaryOf,
  talk,
  turnOf,
} from "../conversations/samples.ts";
import { LockHolder } from "../kit/lock_holder.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { DatabaseDump } from "../kit/store_dump.ts";
import { openBeside } from "../kit/test_store.ts";
import { promise } from "./file_store.ts";

/** What makes which tables dirty: those that lost or replaced content. */
const DIRTIES: readonly (readonly [
  what: string,
  tables: readonly string[],
  change: (conversation: Conversation) => Promise<unknown>,
])[] = [
  ["a new turn", [], (c) => c.append([{ role: "user", content: "x" }])],
  ["a new pin", [], (c) => pinUp(c, pinOf("k2"))],
  ["a revised turn", ["message_ids", "turns"], (c) => revise(c, turnOf("t1", "x", { revision: 2 }))],
  ["a deleted turn", ["message_ids", "turns"], (c) => erase(c, "turn", "t1")],
  ["a revised pin", ["pins"], (c) => pinUp(c, pinOf("k", "x", { revision: 2 }))],
  ["a deleted pin", ["pins"], (c) => erase(c, "pin", "k")],
  ["a deleted scope", ["message_ids", "pins", "scopes", "turns"], (c) => erase(c, "scope")],
  ["a replay", ["replays"], async (c) => c.cachePut(await c.snapshot(), "a", {})],
];

/** The rows of all tables but those that speak of the scrub itself. */
function contentOf({ meta: _meta, dirty: _dirty, schema: _schema, ...tables }: DatabaseDump): DatabaseDump {
  return tables;
}

async function setUp(memory: Memory): Promise<Conversation> {
  const conversation = await talk(memory, ["t1", "t2"]);
  await pinUp(conversation, pinOf("k"));
  await memory.prune();
  return conversation;
}

for (const [what, tables, change] of DIRTIES) {
  promise(`After ${what} a scrub rewrites ${tables.join(", ") || "nothing"}`, async (store) => {
    const memory = await store.open(atNoon());
    await change(await setUp(memory));
    assert.deepEqual(store.sql("SELECT name FROM dirty ORDER BY name").map(([name]) => name), tables);
    assert.equal((await memory.prune()).scrub?.tables, tables.length);
    assert.deepEqual(store.sql("SELECT name FROM dirty"), []);
    assert.equal((await memory.prune()).scrub?.tables, 0);
  });
}

promise("A replaced summary and a revised record are rewritten too", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1"]);
  for (const content of ["one", "two"]) {
    await conversation.putSummary(
      await conversation.snapshot(),
      summaryOf(await readTurns(conversation), content),
    );
  }
  const fact = { schema: 1, text: "x", source: "y", reviewed: false } as const;
  const identity = { tenantId: "orchard", kind: "fact", key: "a" } as const;
  const revision = await memory.records.put(identity, fact, { expectedRevision: null, ttl: 60 });
  await memory.records.put(identity, { ...fact, text: "z" }, { expectedRevision: revision, ttl: 60 });
  assert.deepEqual(store.sql("SELECT name FROM dirty ORDER BY name"), [["records"], ["summaries"]]);
  assert.equal((await memory.prune()).scrub?.tables, 2);
});

promise("A scrub loses nothing: every row of every table, and every index, is as before", async (store) => {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  const conversation = await talk(memory, ["t1", "t2", "t3"]);
  await derive(conversation);
  await revise(conversation, turnOf("t2", "other", { revision: 2 }), after(3_600));
  await pinUp(conversation, pinOf("k", "v", { expiresAt: after(3_600) }));
  await derive(await talk(memory, ["h1"], HARBOUR));
  await erase(conversation, "turn", "t3");
  const schema = (): unknown => store.sql("SELECT type, name FROM sqlite_schema ORDER BY type, name");
  const before = { content: contentOf(store.dump().main), schema: schema() };
  for (let round = 0; round < 2; round++) {
    await memory.prune();
    assert.deepEqual({ content: contentOf(store.dump().main), schema: schema() }, before);
    await revise(conversation, turnOf("t2", "other", { revision: 3 + round }));
    before.content = contentOf(store.dump().main);
  }
});

promise("A store works on after a scrub, and after a reopen, with its indexes in use", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = await setUp(memory);
  await erase(conversation, "turn", "t1");
  await memory.prune();
  await conversation.append([{ messageId: "new", role: "user", content: "x" }]);
  await assert.rejects(conversation.append([{ messageId: "new", role: "user", content: "y" }]), {
    field: "messages[0].messageId",
  });
  await memory.close();
  const again = (await store.open(atNoon())).conversation(ORCHARD);
  const plan = store.sql("EXPLAIN QUERY PLAN SELECT id FROM turns WHERE scope = 1 AND turn_id = 't2'");
  assert.match(String(plan[0]![3]), /USING COVERING INDEX turns_by_turn_id/);
  assert.equal((await again.snapshot()).turnCount, 2);
});

promise(
  "A scrub gives pages back: the file becomes smaller and the report says by how much",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    await Promise.all(
      Array.from({ length: 64 }, () => conversation.append([{ role: "user", content: "x".repeat(10_000) }])),
    );
    await memory.prune();
    const { size: before } = await Deno.stat(store.path);
    await erase(conversation, "scope");
    const { scrub } = await memory.prune();
    const { size: after } = await Deno.stat(store.path);
    assert(before - after > 500_000, `${before} to ${after}`);
    assert(scrub!.complete && scrub!.bytesReturned > 500_000);
  },
);

promise(
  "delete() with scrub tells that its bytes are gone; repeated, the receipt tells of the first time's event",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    const first = await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 2 }, {
      scrub: true,
    });
    assert.equal(first.scrubbed, true);
    const again = await erase(conversation, "turn", "t1");
    assert.deepEqual(again, { ...first, scrubbed: false, already: true, mac: again.mac });
    assert.equal((await memory.verifyReceipt(first)).valid, true);
    const later = await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 9 }, {
      scrub: true,
    });
    assert.deepEqual(later, { ...first, already: true, mac: later.mac });
  },
);

promise(
  "A reader that stays keeps a scrub from being complete: READERS; once it is gone the next one is",
  async (store) => {
    const memory = await store.open({ ...atNoon(), busyTimeoutMs: 50 });
    const conversation = await talk(memory, ["t1"]);
    {
      using reader = openBeside(store.path);
      reader.prepare("BEGIN").run([]);
      reader.prepare("SELECT count(*) FROM turns").get([]);
      const receipt = await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 1 }, {
        scrub: true,
      });
      assert.deepEqual([receipt.scrubbed, receipt.erased.turns], [false, 1]);
      const { scrub } = await memory.prune();
      assert.deepEqual([scrub!.complete, scrub!.by], [false, "READERS"]);
      reader.prepare("ROLLBACK").run([]);
    }
    assert.deepEqual((await memory.prune()).scrub?.complete, true);
  },
);

promise(
  "Another process that holds the lock keeps a scrub from being complete: BUSY; nothing is lost",
  async (store) => {
    const memory = await store.open({ ...atNoon(), busyTimeoutMs: 50 });
    const conversation = await talk(memory, ["t1", "t2"]);
    await erase(conversation, "turn", "t1");
    await using holder = await LockHolder.hold(store.path);
    const { scrub } = await memory.prune();
    assert.deepEqual([scrub!.complete, scrub!.by, scrub!.tables], [false, "BUSY", 0]);
    await holder.release();
    assert.deepEqual((await memory.prune()).scrub?.tables, 2);
  },
);

promise(
  "A scrub that is cancelled between two tables keeps what it did; the next one does the rest",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await setUp(memory);
    await erase(conversation, "scope");
    const controller = new AbortController();
    const reason = new Error("enough");
    const onProgress = ({ part }: { readonly part: string }): void => {
      if (part === "scrub") controller.abort(reason);
    };
    await assert.rejects(
      memory.prune({ signal: controller.signal, onProgress }),
      (error) => error === reason,
    );
    assert.equal(store.sql("SELECT count(*) FROM dirty")[0]![0], 3);
    const { scrub } = await memory.prune();
    assert.deepEqual([scrub?.complete, scrub?.tables], [true, 3]);
  },
);

promise(
  "A deletion stands whose scrub was cancelled, and its receipt says that it was not scrubbed",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    const controller = new AbortController();
    const deletion = conversation.delete({ kind: "turn", key: "t1", expectedRevision: 1 }, {
      scrub: true,
      signal: controller.signal,
    });
    const withdrawn = conversation.append([{ role: "user", content: "x" }]).then(() => controller.abort());
    const receipt = await deletion;
    await withdrawn;
    assert.deepEqual([receipt.erased.turns, receipt.already], [1, false]);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  },
);

promise("Another store's writes between the tables of a scrub are kept", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = await setUp(memory);
  const other = (await store.open(atNoon())).conversation(HARBOUR);
  await erase(conversation, "scope");
  const writes: Promise<unknown>[] = [];
  const onProgress = (): void => void writes.push(other.append([{ role: "user", content: "x" }]));
  const { scrub } = await memory.prune({ onProgress });
  await Promise.all(writes);
  assert.deepEqual([scrub?.complete, writes.length], [true, 4]);
  assert.equal((await other.snapshot()).turnCount, 4);
});

testThatNothingIsLeftOpen();
