import assert from "node:assert/strict";
import fc from "fast-check";
import { isBlank } from "../../src/canonical/text.ts";
import { extract } from "../../src/contracts/source_ref.ts";
import { turn } from "../../src/contracts/turn.ts";
import { chunkRanges } from "../../src/index/chunk_ranges.ts";
import { camelCased, readVectors } from "../context/golden.ts";
import { chunksOf } from "../search/chunks.ts";

const SIZE = fc.integer({ min: 1, max: 12 }).chain((chunkCharacters) =>
  fc.record({
    chunkCharacters: fc.constant(chunkCharacters),
    overlapCharacters: fc.nat({ max: chunkCharacters - 1 }),
  })
);

Deno.test("chunksOf() returns the reference's chunks of its example turn, with the same ids", () => {
  const { chunks_4_1_of_t1, canonical } = readVectors();
  const payload = canonical.find(({ name }) => name.startsWith("turn t1 payload"))?.text ?? "";
  const t1 = turn(camelCased(JSON.parse(payload)) as Parameters<typeof turn>[0]);
  const chunks = chunksOf([t1], { chunkCharacters: 4, overlapCharacters: 1 });
  const actual = chunks.map(({ chunkId, source, content }) => {
    return { id: chunkId, message: source.messageId, start: source.start, end: source.end, text: content };
  });
  assert.deepEqual(actual, chunks_4_1_of_t1);
});

Deno.test("RET-12 No chunk splits a character", () => {
  const text = "tuvwxyz😀end";
  const ranges = [...chunkRanges(text, { chunkCharacters: 8, overlapCharacters: 0 })];
  assert.deepEqual(ranges.map(({ content }) => content), ["tuvwxyz😀", "end"]);
});

Deno.test("RET-12 Chunks are well-formed, in place, and cover the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), SIZE, (raw, size) => {
      const text = raw.toWellFormed();
      const points = [...text];
      const covered = new Array<boolean>(points.length).fill(false);
      for (const { start, end, content } of chunkRanges(text, size)) {
        assert.equal(content, points.slice(start, end).join(""));
        assert.ok(content.isWellFormed() && !isBlank(content));
        covered.fill(true, start, end);
      }
      for (const [index, point] of points.entries()) assert.ok(covered[index] || isBlank(point));
    }),
    { seed: 12, numRuns: 400 },
  );
});

Deno.test("A chunk's source extracts exactly its text, and another revision has other ids", () => {
  const scope = { tenantId: "t", sessionId: "s" };
  const messages = [{ messageId: "m", role: "user" as const, content: "αβγ 🌍🌍 delta\n\u0000 end" }];
  const size = { chunkCharacters: 5, overlapCharacters: 2 };
  const first = turn({ turnId: "t", scope, messages });
  const chunks = chunksOf([first], size);
  for (const chunk of chunks) assert.equal(extract(chunk.source, first), chunk.content);
  const again = chunksOf([turn({ turnId: "t", scope, messages })], size);
  const revised = chunksOf([turn({ turnId: "t", scope, messages, revision: 2 })], size);
  assert.deepEqual(again, chunks);
  assert.ok(revised.every(({ chunkId }, index) => chunkId !== chunks[index]?.chunkId));
});

Deno.test("chunkRanges() splits a megabyte with astral characters in linear time", () => {
  const text = "🌍".repeat(500_000);
  let count = 0;
  for (const { content } of chunkRanges(text, { chunkCharacters: 360, overlapCharacters: 80 })) {
    count += content.length;
  }
  assert.ok(count > 1_000_000);
});
