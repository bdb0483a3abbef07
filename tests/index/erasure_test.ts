import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import type { Conversation } from "../../mod.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import type { TestStore } from "../kit/test_store.ts";
import { decodePostings } from "../../src/tables/posting_list.ts";
import { countIndexRows, NO_ROWS } from "./index_contents.ts";
import { SCOPE } from "./scenario.ts";
import { Writer } from "./vocabulary.ts";

/** Whether any file of a store contains a text in UTF-8. */
async function holds(store: TestStore, text: string): Promise<boolean> {
  const needle = new TextEncoder().encode(text);
  for (const suffix of ["", "-wal", ".deletions", ".deletions-wal"]) {
    const bytes = await Deno.readFile(store.path + suffix).catch(() => new Uint8Array());
    for (let at = bytes.indexOf(needle[0]!); at >= 0; at = bytes.indexOf(needle[0]!, at + 1)) {
      if (needle.every((byte, index) => bytes[at + index] === byte)) return true;
    }
  }
  return false;
}

async function deleteTurn(conversation: Conversation, key: string): ReturnType<Conversation["delete"]> {
  const expectedRevision = await conversation.revision();
  return await conversation.delete({ kind: "turn", key, expectedRevision });
}

Deno.test("The deletion of a turn erases its chunks, postings and terms, and scrub leaves no byte of them after churn", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  const writer = new Writer(21);
  const turnIds: string[] = [];
  for (let index = 0; index < 90; index++) {
    const secret = index % 9 === 4 ? `Zweckgeheimnisse${index} quetzalcoatlus-${index}` : "";
    const content = `${writer.text(30)} ${secret}`;
    turnIds.push((await conversation.append([{ role: "user", content }])).turnId);
    if (index % 20 === 19) await conversation.search("pump");
  }
  await conversation.search("pump", { profile: "reference" });
  await conversation.search("pump");
  const secrets = ["zweckgeheimnisse", "quetzalcoatlus", "Zweckgeheimnisse"];
  for (const secret of secrets) assert.equal(await holds(store, secret), true, secret);
  const erased = { chunks: 0, postings: 0 };
  for (let index = 4; index < 90; index += 9) {
    const receipt = await deleteTurn(conversation, turnIds[index]!);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
    erased.chunks += receipt.erased.chunks;
    erased.postings += receipt.erased.postings;
  }
  assert.equal(erased.chunks, 20);
  assert.ok(erased.postings > 100);
  const terms = store.sql(`SELECT term FROM index_terms`).flat().map(String);
  assert.deepEqual(terms.filter((term) => /zweck|quetz/.test(term)), []);
  const { scrub } = await memory.prune();
  assert.equal(scrub?.complete, true);
  for (const secret of [...secrets, "quetzalcoatlu"]) assert.equal(await holds(store, secret), false, secret);
  assert.equal((await conversation.search("pump")).length > 0, true);
});

Deno.test("A deleted turn is in no row of postings that it shared, and is the key of no row", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  const turnIds: string[] = [];
  for (let index = 0; index < 5; index++) {
    turnIds.push((await conversation.append([{ role: "user", content: "pump valve" }])).turnId);
  }
  await conversation.search("pump");
  const numbers = new Map(store.sql(`SELECT turn_id, id FROM turns`).map(([turnId, id]) => [turnId, id]));
  for (const key of [turnIds[0]!, turnIds[2]!]) {
    const receipt = await deleteTurn(conversation, key);
    assert.equal(receipt.erased.postings, 2 + 5); // its words and its date
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
    const turns = store.sql(`SELECT index_id, term, turn, turns, posting_list FROM postings`)
      .flatMap(([indexId, term, ...row]) => {
        return decodePostings({ indexId: indexId as number, term: term as number }, row).map(({ turn }) =>
          turn
        );
      });
    assert.equal(turns.includes(numbers.get(key) as number), false);
  }
});

Deno.test("check() and verifyReceipt() report a posting of a deleted turn that is left in a row", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  store.damaged = true;
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  const { turnId } = await conversation.append([{ role: "user", content: "pump" }]);
  await conversation.append([{ role: "user", content: "pump" }]);
  await conversation.search("pump");
  const rows = store.sql(`SELECT posting_list, turns, turn, term FROM postings`);
  const receipt = await deleteTurn(conversation, turnId);
  for (const [list, turns, turn, term] of rows) {
    store.sql(
      `UPDATE postings SET posting_list = $1, turns = $2, turn = $3 WHERE term = $4`,
      list!,
      turns!,
      turn!,
      term!,
    );
  }
  const { valid, remains } = await memory.verifyReceipt(receipt);
  assert.equal(valid, false);
  assert.ok(remains["postings"]! > 0);
  const { problems } = await memory.check();
  assert.ok(problems.some(({ table }) => table === "postings"));
});

Deno.test("A revision of a turn erases the chunks and terms of its old text", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  await conversation.create();
  const put = async (content: string, revision: number): Promise<void> => {
    const messages = [{ messageId: "m", role: "user" as const, content }];
    const expectedRevision = await conversation.revision();
    const operationId = `o${revision}`;
    await conversation.putTurn({ turnId: "t", scope: SCOPE, messages, revision }, {
      operationId,
      expectedRevision,
    });
  };
  await put("zweckgeheimnisse in the vault", 1);
  assert.equal((await conversation.search("zweckgeheimnisse")).length, 1);
  await put("nothing in the vault", 2);
  assert.deepEqual(store.sql(`SELECT term FROM index_terms`), []);
  assert.deepEqual(await conversation.search("zweckgeheimnisse"), []);
  await memory.prune();
  assert.equal(await holds(store, "zweckgeheimni"), false);
});

Deno.test("The deletion of a scope leaves no row of its indexes, and its receipt counts the erased rows", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  for (const content of ["alder", "birch", "cedar"]) await conversation.append([{ role: "user", content }]);
  await conversation.search("alder");
  await conversation.search("alder", { profile: "reference" });
  const rows = countIndexRows((sql) => store.sql(sql));
  const receipt = await conversation.delete({
    kind: "scope",
    expectedRevision: await conversation.revision(),
  });
  assert.equal(receipt.erased.chunks, 6);
  assert.equal(receipt.erased.postings, rows.postings);
  assert.deepEqual(countIndexRows((sql) => store.sql(sql)), NO_ROWS);
  assert.equal((await memory.verifyReceipt(receipt)).valid, true);
});

Deno.test("A damaged index does not prevent a deletion, and is rebuilt afterwards", async () => {
  const damages = [
    `UPDATE indexed_turns SET term_list = x'05'`,
    `UPDATE index_terms SET documents = documents + 1`,
    `UPDATE chunk_indexes SET turns = turns + 1`,
    `DELETE FROM index_terms`,
    `DELETE FROM postings`,
    `UPDATE postings SET posting_list = x'0203'`,
    `UPDATE postings SET turn = turn + 1`,
  ];
  for (const damage of damages) {
    await using store = await makeFileStore(new TappedDriver(nodeSqlite));
    const memory = await store.open();
    const conversation = memory.conversation(SCOPE);
    const { turnId } = await conversation.append([{ role: "user", content: "zweckgeheimnisse" }]);
    await conversation.append([{ role: "user", content: "the pump failed" }]);
    await conversation.search("pump");
    store.sql(damage);
    await deleteTurn(conversation, turnId);
    assert.deepEqual(store.sql(`SELECT term FROM index_terms WHERE term >= 'zweck' AND term < 'zwecl'`), []);
    assert.equal((await conversation.search("pump")).length, 1);
  }
});

Deno.test("Every single flipped bit of an index is detected, or changes no search result", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  store.damaged = true;
  const conversation = (await store.open()).conversation(SCOPE);
  for (const content of ["the pump failed", "the pump was mended", "rain"]) {
    await conversation.append([{ role: "user", content }]);
  }
  const expected = await conversation.search("pump failed");
  const columns = [
    ["postings", "posting_list"],
    ["postings", "turns"],
    ["indexed_turns", "documents"],
    ["indexed_turns", "source"],
    ["indexed_turns", "chunk_list"],
    ["index_terms", "documents"],
    ["chunk_indexes", "total_length"],
  ] as const;
  for (const [table, column] of columns) {
    for (let bit = 0; bit < 8; bit++) {
      const blob = column === "posting_list" || column === "chunk_list";
      const [row] = store.sql(`SELECT ${column} FROM ${table} LIMIT 1`);
      const old = row![0]!;
      const flipped = blob ? flip(old as Uint8Array, bit) : Number(old) ^ (1 << bit);
      const where = table === "chunk_indexes" ? "" : `WHERE ${column} = $2`;
      store.sql(`UPDATE ${table} SET ${column} = $1 ${where}`, flipped, ...(where === "" ? [] : [old]));
      const found = await conversation.search("pump failed").catch((error) => error.code);
      if (found !== "INTEGRITY") assert.deepEqual(found, expected, `${table}.${column} bit ${bit}`);
      store.sql(`UPDATE ${table} SET ${column} = $1 ${where}`, old, ...(where === "" ? [] : [flipped]));
    }
  }
  assert.deepEqual(await conversation.search("pump failed"), expected);
});

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = new Uint8Array(bytes);
  flipped[0]! ^= 1 << bit;
  return flipped;
}

testThatNothingIsLeftOpen();
