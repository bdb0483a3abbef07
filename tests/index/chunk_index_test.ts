import assert from "node:assert/strict";
import { historyDigest } from "../../src/contracts/digest.ts";
import { requireChunkIndex } from "../../src/index/chunk_index.ts";
import { chunkerVersion } from "../../src/index/chunk_ranges.ts";
import { chunksOf } from "../search/chunks.ts";
import { conversation } from "../search/conversation.ts";

const SIZE = { chunkCharacters: 8, overlapCharacters: 2 };
const HISTORY = conversation(["pump one lamp two", "kiln three"]);
const INDEX = {
  historyFingerprint: historyDigest(HISTORY),
  chunkerVersion: chunkerVersion(SIZE),
  chunks: chunksOf(HISTORY, SIZE),
};

Deno.test("requireChunkIndex() accepts an index of the same history and chunker", () => {
  assert.deepEqual(requireChunkIndex(INDEX, HISTORY, SIZE), INDEX.chunks);
});

Deno.test("requireChunkIndex() refuses an index of another history or chunker", () => {
  const stale = { code: "CONTRACT", field: "chunkIndex" };
  assert.throws(() => requireChunkIndex(INDEX, HISTORY.slice(1), SIZE), stale);
  assert.throws(() => requireChunkIndex(INDEX, HISTORY, { ...SIZE, overlapCharacters: 3 }), stale);
  assert.throws(() => requireChunkIndex(null, HISTORY, SIZE), stale);
});

Deno.test("requireChunkIndex() refuses chunks that differ from the history's text or occur twice", () => {
  const [first, second] = INDEX.chunks;
  assert.ok(first && second);
  const forged = { ...first, content: "forgery!".slice(0, first.content.length) };
  const foreign = { ...first, source: { ...first.source, turnId: "t9" } };
  for (const chunks of [["not a chunk"], [first, first], [forged], [foreign], "chunks"]) {
    assert.throws(() => requireChunkIndex({ ...INDEX, chunks }, HISTORY, SIZE), { code: "CONTRACT" });
  }
});
