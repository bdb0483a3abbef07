import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseEvidence, evidenceDraft } from "../../src/context/evidence.ts";
import { contentOf, type Draft } from "../../src/context/rendering.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { RankedChunk } from "../../src/search/evidence_source.ts";
import { Pace } from "../../src/pace.ts";
import { conversation, search } from "../search/conversation.ts";

/** Returns chunks of texts about pumps with these lengths, best first. */
async function ranked(lengths: readonly number[]): Promise<readonly RankedChunk[]> {
  const history = conversation(lengths.map((length, index) => `pump ${index} ${"x".repeat(length)}`));
  return await search(history, "pump", { profile: "reference", chunkCharacters: 50, overlapCharacters: 20 });
}

function sizeOf(draft: Draft): number {
  return contentOf(draft).length;
}

/** Chooses as the reference does: each chunk is tried with the reserve and with the request. */
function plainChoice(
  chunks: readonly RankedChunk[],
  topK: number,
  fits: (draft: Draft) => boolean,
): readonly Chunk[] {
  let chosen: readonly Chunk[] = [];
  for (const { chunk } of chunks) {
    if (chosen.length === topK) break;
    const { turnId, start, end } = chunk.source;
    const overlaps = chosen.some(({ source }) =>
      source.turnId === turnId && source.start < end && start < source.end
    );
    if (!overlaps && fits(evidenceDraft([...chosen, chunk]))) chosen = [...chosen, chunk];
  }
  return chosen;
}

Deno.test("chooseEvidence() chooses as the reference does, and counts a request that fits only once", async () => {
  const limits = fc.record({
    topK: fc.integer({ min: 1, max: 5 }),
    reserve: fc.nat(700),
    request: fc.nat(700),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(120), { maxLength: 8 }),
      limits,
      async (lengths, { topK, reserve, request }) => {
        const chunks = await ranked(lengths);
        let counts = 0;
        const fitsReserve = (draft: Draft): boolean => sizeOf(draft) <= reserve;
        const fitsRequest = (draft: Draft): boolean => (counts++, sizeOf(draft) <= request);
        const options = { topK, misfitsMax: Infinity, pace: new Pace(), fitsReserve, fitsRequest };
        const chosen = await chooseEvidence(chunks, options);
        const expected = plainChoice(chunks, topK, (draft) => fitsReserve(draft) && sizeOf(draft) <= request);
        assert.deepEqual(chosen.chunks, expected);
        assert.deepEqual(chosen.draft, evidenceDraft(expected));
        assert.equal(chosen.hasMatches, chunks.length > 0);
        if (request >= reserve) assert.ok(counts <= 1);
      },
    ),
    { seed: 41, numRuns: 150 },
  );
});

Deno.test("chooseEvidence() stops after misfitsMax chunks that do not fit", async () => {
  const chunks = await ranked(Array.from({ length: 30 }, () => 10));
  let tried = 0;
  const options = { topK: 4, pace: new Pace(), fitsRequest: () => true, fitsReserve: () => (tried++, false) };
  const chosen = await chooseEvidence(chunks, { ...options, misfitsMax: 5 });
  assert.deepEqual(chosen.chunks, []);
  assert.equal(tried, 6);
  assert.ok(chosen.hasMatches);
});

Deno.test("chooseEvidence() reads an asynchronous source only as far as needed, and closes it", async () => {
  const chunks = await ranked([5, 5, 5, 5, 5, 5]);
  let asked = 0;
  let closed = false;
  async function* source(): AsyncGenerator<RankedChunk, void, undefined> {
    try {
      for (const chunk of chunks) {
        asked++;
        yield await Promise.resolve(chunk);
      }
    } finally {
      closed = true;
    }
  }
  const limits = {
    topK: 2,
    misfitsMax: 9,
    pace: new Pace(),
    fitsReserve: () => true,
    fitsRequest: () => true,
  };
  assert.equal((await chooseEvidence(source(), limits)).chunks.length, 2);
  assert.equal(asked, 2);
  assert.ok(closed);
});

Deno.test("A cancelled choice rejects with the signal's reason", async () => {
  const reason = new Error("enough");
  const limits = { topK: 2, misfitsMax: 9, fitsReserve: () => true, fitsRequest: () => true };
  const pace = new Pace(AbortSignal.abort(reason));
  await assert.rejects(chooseEvidence(await ranked([5]), { ...limits, pace }), reason);
});
