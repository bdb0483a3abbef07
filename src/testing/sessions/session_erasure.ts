/** Erasing everything of a tenant or a person. */

import assert from "node:assert/strict";
import { MAIN_TABLES } from "../../tables/schema/main_tables.ts";
import type { Memory } from "../../../mod.ts";
import type { Suite } from "../kit/suite.ts";
import { clockAtNoon, pinOf } from "../kit/conversation_samples.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import { ACME, chat, GWEN, idsOf, note, notesOf, optionsWith, OWEN, say } from "./session_samples.ts";

export function testErasure(suite: Suite): void {
  testOfTenant(suite);
  testOfSubject(suite);
  testAfterwards(suite);
  testReceiptsOfErasures(suite);
}

/** One of everything under a session, all of it saying the same word. */
async function fillSession(memory: Memory, sessionId: string, word: string, tenantId = ACME): Promise<void> {
  const conversation = chat(memory, sessionId, tenantId);
  const data = new TextEncoder().encode(`bytes of ${word}`);
  const content = [{ type: "text", text: word }, { type: "media", mediaType: "text/plain", data }] as const;
  await conversation.append([{ role: "user", content }], { subject: word, operationId: `said ${word}` });
  const { revision } = await conversation.snapshot();
  await conversation.putPin({ ...pinOf(word), scope: conversation.scope }, { expectedRevision: revision });
  await memory.journal(conversation.scope).append([{ json: word, uuid: word }]);
  await conversation.describe({ title: word, metadata: { word } });
  await conversation.search(word);
  await conversation.cachePut(await conversation.snapshot(), word, { word });
}

/** Which tables have a row that holds a text. */
async function tablesWith(store: StoreUnderTest, word: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of MAIN_TABLES) {
    if (["meta", "deletions", "dirty"].includes(table.name)) continue;
    const rows = JSON.stringify(
      await store.rows(table as never),
      (_, value) => value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
    );
    if (rows.includes(word)) found.push(table.name);
  }
  return found;
}

function testOfTenant({ promise }: Suite): void {
  promise(
    "OPS-02 erase() of a tenant leaves nothing of it in any table, and nothing of others is gone",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      await fillSession(memory, "a", "gwens-secret");
      await fillSession(memory, "a", "globex-secret", "globex");
      await note(memory, "gwens-secret");
      await note(memory, "globex-secret", undefined, "globex");
      const there = await tablesWith(store, "gwens-secret");
      for (
        const name of [
          "turns",
          "pins",
          "journal_entries",
          "descriptions",
          "media_pieces",
          "replays",
          "records",
        ]
      ) {
        assert(there.includes(name), name);
      }
      const receipt = await memory.erase({ tenantId: ACME });
      assert.deepEqual(await tablesWith(store, "gwens-secret"), []);
      assert.deepEqual(await tablesWith(store, "globex-secret"), there);
      const { sessions, records, turns, pins, journals } = receipt.erased;
      assert.deepEqual([sessions, records, turns, pins, journals], [1, 1, 1, 1, 1]);
      assert.deepEqual([await idsOf(memory), await notesOf(memory)], [[], []]);
      assert.deepEqual(await notesOf(memory, "globex"), ["globex-secret"]);
      await assert.rejects(chat(memory, "a").snapshot(), { reason: "MISSING" });
    },
  );

  promise(
    "erase() where there is nothing is recorded too, and holds against older backups",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      const receipt = await memory.erase({ tenantId: ACME });
      assert.deepEqual([receipt.kind, receipt.sequence, receipt.erased.sessions], ["erase", 1, 0]);
      assert.equal((await memory.verifyReceipt(receipt, { tenantId: ACME })).valid, true);
    },
  );

  promise("erase() that is repeated under its operation id returns the first receipt", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    await say(memory, "a", { subject: GWEN });
    const erase = (operationId: string) => memory.erase({ tenantId: ACME, subject: GWEN }, { operationId });
    const first = await erase("op");
    await say(memory, "b", { subject: GWEN });
    assert.deepEqual(await erase("op"), first);
    assert.deepEqual(await idsOf(memory), ["b"]);
    assert.equal((await erase("op-2")).erased.sessions, 1);
  });

  promise("erase() refuses what names nobody, and changes nothing", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    await say(memory, "a");
    for (
      const [target, field] of [
        [{}, "tenantId"],
        [{ tenantId: "" }, "tenantId"],
        [{ tenantId: ACME, subject: "" }, "subject"],
        [{ tenantId: ACME, subject: null }, "subject"],
        [{ tenantId: ACME, sessionId: "a" }, "target"],
        [ACME, "target"],
      ] as const
    ) {
      await store.assertChangesNothing(() => memory.erase(target as never), { code: "CONTRACT", field });
    }
    await store.assertChangesNothing(() => memory.erase({ tenantId: ACME }, { scrub: 1 } as never), {
      code: "CONTRACT",
      field: "scrub",
    });
  });
}

function testOfSubject({ promise }: Suite): void {
  promise(
    "OPS-02 erase() of a person leaves other people's data in the tenant, and data without a subject",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      await fillSession(memory, "gwens", GWEN);
      await fillSession(memory, "owens", OWEN);
      await say(memory, "nobody's");
      await say(memory, "hers elsewhere", { subject: GWEN, tenantId: "globex" });
      await note(memory, "gwens note", GWEN);
      await note(memory, "owens note", OWEN);
      await note(memory, "nobody's note");
      const { erased } = await memory.erase({ tenantId: ACME, subject: GWEN });
      assert.deepEqual([erased.sessions, erased.records], [1, 1]);
      assert.deepEqual(await idsOf(memory), ["nobody's", "owens"]);
      assert.deepEqual(await notesOf(memory), ["nobody's note", "owens note"]);
      assert.deepEqual(await tablesWith(store, GWEN), ["descriptions"], "what she said in another tenant");
      assert.equal((await chat(memory, "hers elsewhere", "globex").snapshot()).turnCount, 1);
    },
  );

  promise("erase() goes by whose a session or record is now, not by whose it was", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    for (const id of ["a", "b", "c"]) {
      await say(memory, id, { subject: GWEN });
      await note(memory, id, GWEN);
    }
    await chat(memory, "b").describe({ subject: OWEN });
    await memory.records.label({ tenantId: ACME, kind: "note", key: "b" }, OWEN);
    await chat(memory, "c").describe({ subject: null });
    await memory.records.label({ tenantId: ACME, kind: "note", key: "c" }, null);
    await memory.erase({ tenantId: ACME, subject: GWEN });
    assert.deepEqual([await idsOf(memory), await notesOf(memory)], [["c", "b"], ["b", "c"]]);
    await memory.erase({ tenantId: ACME, subject: OWEN });
    assert.deepEqual([await idsOf(memory), await notesOf(memory)], [["c"], ["c"]]);
  });
}

function testAfterwards({ promise }: Suite): void {
  promise(
    "What is written after an erasure is not touched, and no revision of before is given again",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      for (const content of ["1", "2", "3"]) await say(memory, "a", { content, subject: GWEN });
      await say(memory, "short", { subject: GWEN });
      await memory.erase({ tenantId: ACME, subject: GWEN });
      await say(memory, "short", { content: "anew" });
      await note(memory, "anew", GWEN);
      const conversation = chat(memory, "short");
      assert.deepEqual([await conversation.revision(), (await conversation.snapshot()).turnCount], [5, 1]);
      assert.deepEqual(await notesOf(memory), ["anew"]);
      assert.equal(await chat(memory, "another").create(), 4);
    },
  );

  promise(
    "An operation id of an erased session stands for nothing in the one that follows it",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      const append = () =>
        chat(memory, "a").append([{ role: "user", content: "hello" }], { operationId: "op" });
      const before = await append();
      await memory.erase({ tenantId: ACME });
      const after = await append();
      assert.notEqual(after.revision, before.revision);
      assert.equal((await chat(memory, "a").snapshot()).turnCount, 1);
      assert.deepEqual(await append(), after);
    },
  );

  promise("What was deleted for ever before an erasure stays deleted after it", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    const gone = { messageId: "gone", role: "user", content: "hello" } as const;
    const { turnId, revision } = await chat(memory, "a").append([gone]);
    await chat(memory, "a").delete({ kind: "turn", key: turnId, expectedRevision: revision });
    await say(memory, "b");
    await chat(memory, "b").delete({ kind: "scope", expectedRevision: 1 });
    await memory.erase({ tenantId: ACME });
    await assert.rejects(chat(memory, "a").append([gone]), { reason: "DELETED" });
    await assert.rejects(say(memory, "b"), { reason: "DELETED" });
    const { skipped } = await chat(memory, "a").append([gone], { onDuplicate: "skip" });
    assert.deepEqual(skipped, ["gone"]);
  });
}

function testReceiptsOfErasures({ promise }: Suite): void {
  promise(
    "The receipt of an erasure says of whom it is, and every change of it is noticed",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      await say(memory, "a", { subject: GWEN });
      const receipt = await memory.erase({ tenantId: ACME, subject: GWEN });
      const about = async (subject: Parameters<Memory["verifyReceipt"]>[1]) =>
        (await memory.verifyReceipt(receipt, subject)).valid;
      assert.equal(await about({ tenantId: ACME }), true);
      assert.equal(await about({ tenantId: ACME, subject: GWEN }), true);
      assert.equal(await about({ tenantId: ACME, subject: OWEN }), false);
      assert.equal(await about({ tenantId: "globex", subject: GWEN }), false);
      assert.equal(await about({ tenantId: ACME, sessionId: "a" }), false);
      for (
        const change of [
          { erased: { ...receipt.erased, sessions: 2 } },
          { erased: { ...receipt.erased, records: 1 } },
          { target: { tenantId: receipt.target.tenantId } },
          { target: { ...receipt.target, subject: receipt.target.tenantId } },
          { reserved: true },
          { scrubbed: true },
        ]
      ) {
        const { valid, authentic } = await memory.verifyReceipt({ ...receipt, ...change });
        assert.deepEqual([valid, authentic], [false, false]);
      }
      assert.equal(JSON.stringify(receipt).includes("gwen"), false);
    },
  );

  promise(
    "The receipt of an erasure stays valid when the person comes back, and when others become that person",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      await say(memory, "a", { subject: GWEN });
      await say(memory, "b", { subject: OWEN });
      await note(memory, "b", OWEN);
      const receipt = await memory.erase({ tenantId: ACME, subject: GWEN });
      await say(memory, "a", { subject: GWEN });
      await chat(memory, "b").describe({ subject: GWEN });
      await memory.records.label({ tenantId: ACME, kind: "note", key: "b" }, GWEN);
      assert.deepEqual((await memory.verifyReceipt(receipt)).remains, {});
      const second = await memory.erase({ tenantId: ACME, subject: GWEN });
      assert.deepEqual([second.erased.sessions, second.erased.records], [2, 1]);
      for (const each of [receipt, second]) assert.equal((await memory.verifyReceipt(each)).valid, true);
    },
  );
}
