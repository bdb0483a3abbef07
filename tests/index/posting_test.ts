import assert from "node:assert/strict";
import fc from "fast-check";
import { decodePostings, encodePostings, type Posting, withoutTurn } from "../../src/tables/posting_list.ts";

const PLACE = { indexId: 3, term: 70_000 };

const NUMBERS = fc.uniqueArray(fc.oneof(fc.nat(200), fc.nat(2 ** 33)), { minLength: 1, maxLength: 20 })
  .map((numbers) => numbers.sort((left, right) => left - right));

const POSTINGS: fc.Arbitrary<readonly Posting[]> = NUMBERS.chain((turns) =>
  fc.tuple(
    ...turns.map((turn) =>
      NUMBERS.chain((chunks) =>
        fc.tuple(...chunks.map((chunk) =>
          fc.integer({ min: 1, max: 9 }).map((frequency) => ({ chunk: chunk % 1_000_000, frequency }))
        ))
      ).map((counts) => ({ turn, counts: inOrder(counts) }))
    ),
  )
);

function inOrder(
  counts: readonly { readonly chunk: number; readonly frequency: number }[],
): Posting["counts"] {
  return [...new Map(counts.map((count) => [count.chunk, count])).values()]
    .sort((left, right) => left.chunk - right.chunk);
}

function rowOf({ turn, turns, postingList }: ReturnType<typeof encodePostings>): readonly unknown[] {
  return [turn, turns, postingList];
}

function assertDamaged(place: typeof PLACE, row: readonly unknown[], what?: string): void {
  assert.throws(() => decodePostings(place, row), { code: "INTEGRITY" }, what);
  assert.equal(withoutTurn(place, row, 7), "damaged", what);
}

Deno.test("A row of postings reads back as it was written", () => {
  fc.assert(
    fc.property(POSTINGS, (postings) => {
      const columns = encodePostings(PLACE, postings);
      assert.equal(columns.turn, postings[0]!.turn);
      assert.deepEqual(decodePostings(PLACE, rowOf(columns)), postings);
    }),
    { seed: 71, numRuns: 300 },
  );
});

Deno.test("A turn that has a term once in its first chunk takes two bytes of a row", () => {
  const postings = Array.from({ length: 64 }, (_, turn) => ({
    turn: 1_000 + turn,
    counts: [{ chunk: 0, frequency: 1 }],
  }));
  assert.equal(encodePostings(PLACE, postings).postingList.length, 64 * 2 + 2);
});

Deno.test("A flipped bit in a row of postings, and a row in another place, are detected as damage", () => {
  const postings = [
    { turn: 7, counts: [{ chunk: 0, frequency: 1 }, { chunk: 4, frequency: 300 }] },
    { turn: 9, counts: [{ chunk: 1, frequency: 2 }] },
  ];
  const columns = encodePostings(PLACE, postings);
  for (let bit = 0; bit < columns.postingList.length * 8; bit++) {
    const postingList = new Uint8Array(columns.postingList);
    postingList[bit >> 3]! ^= 1 << (bit & 7);
    assertDamaged(PLACE, rowOf({ ...columns, postingList }), `bit ${bit}`);
  }
  assertDamaged(PLACE, rowOf({ ...columns, turn: 6 }));
  assertDamaged(PLACE, rowOf({ ...columns, turns: 3 }));
  assertDamaged({ ...PLACE, term: 70_001 }, rowOf(columns));
  assertDamaged({ ...PLACE, indexId: 4 }, rowOf(columns));
  assert.throws(() => decodePostings(PLACE, rowOf({ ...columns, postingList: new Uint8Array(1) })), {
    code: "INTEGRITY",
  });
});

Deno.test("A row after the removal of a turn has the same bytes as a row of the other turns", () => {
  fc.assert(
    fc.property(POSTINGS, fc.nat(), fc.nat(300), (postings, which, stranger) => {
      const row = rowOf(encodePostings(PLACE, postings));
      const { turn } = postings[which % postings.length]!;
      const others = postings.filter((posting) => posting.turn !== turn);
      const left = withoutTurn(PLACE, row, turn);
      assert.deepEqual(left, others.length === 0 ? "emptied" : encodePostings(PLACE, others));
      if (postings.every((posting) => posting.turn !== stranger)) {
        assert.equal(withoutTurn(PLACE, row, stranger), "missing");
      }
    }),
    { seed: 72, numRuns: 500 },
  );
});
