import assert from "node:assert/strict";
import { checksumOf } from "../../src/canonical/checksum.ts";
import type { SqlValue } from "../../src/engine/values.ts";
import { flippedBits } from "../kit/bit_flips.ts";

const HASH = new Uint8Array(16).map((_, index) => index * 16 + 5);
const HEAD = "70b61b36f27af7100137a031d9ca217fb5d3a540ceb608f2d8a3d06924cb92ed";

/** A row of every table with a checksum. */
const ROWS: Readonly<Record<string, readonly SqlValue[]>> = {
  meta: [
    HEAD.slice(32),
    3,
    HEAD.slice(0, 32),
    null,
    12,
    HEAD,
    12,
    900,
    1_750_000_000_000,
    1,
    HASH,
    2 ** 48 - 1,
    7,
  ],
  "ledger.meta": [HEAD.slice(32), 3, HEAD.slice(0, 32), 12, HEAD, 5],
  records: ["orchard", "fact", "preference", 7, 1_750_000_000, 86_400, 1_750_000_060, 2_539_295_443],
  operations: [HASH, HASH.toReversed(), HASH.map((byte) => byte ^ 0xff), 2 ** 53 - 1, 1_750_000_000_000],
  deletions: [4, 3, "record", HASH, HASH.toReversed(), 1, 7, 1_750_000_000_000, '{"records":1}', HEAD],
  "text identifiers": ["Ärger & Söhne", "anything", "🌍/a\u2028", 0],
};

/** Their checksums, as the first written files contain them. */
const GOLDEN: readonly number[] = [
  211_103_740,
  2_824_840_113,
  837_384_925,
  2_390_313_381,
  3_959_096_129,
  801_103_174,
];

for (const [table, row] of Object.entries(ROWS)) {
  Deno.test(`checksumOf() detects any one bit flipped in any column of ${table}`, () => {
    const right = checksumOf(...row);
    for (const [column, value] of row.entries()) {
      for (const flipped of flippedBits(value)) {
        assert.notEqual(checksumOf(...row.with(column, flipped)), right, `column ${column}: ${flipped}`);
      }
    }
  });

  Deno.test(`checksumOf() detects a column of ${table} that became NULL, empty, or changed places`, () => {
    const right = checksumOf(...row);
    for (const [column, value] of row.entries()) {
      if (value !== null) assert.notEqual(checksumOf(...row.with(column, null)), right);
      if (value !== "") assert.notEqual(checksumOf(...row.with(column, "")), right);
      const next = row[column + 1];
      if (next !== undefined && next !== value) {
        assert.notEqual(checksumOf(...row.with(column, next).with(column + 1, value)), right);
      }
    }
  });
}

Deno.test("checksumOf() distinguishes types and boundaries", () => {
  const rows: readonly (readonly SqlValue[])[] = [
    [],
    [null],
    [null, null],
    [0],
    [""],
    [new Uint8Array()],
    ["0"],
    ["1"],
    [1],
    [new Uint8Array([49])],
    ["ab", "c"],
    ["a", "bc"],
    ["abc"],
    ["", "abc"],
    [1, 2],
    [12],
    [2, 1],
  ];
  assert.equal(new Set(rows.map((row) => checksumOf(...row))).size, rows.length);
});

Deno.test("checksumOf() returns one number for one row, which never changes, because it is stored", () => {
  assert.equal(checksumOf(), 0);
  assert.equal(checksumOf("orchard", 1, null, HASH), checksumOf("orchard", 1n, null, HASH));
  assert.deepEqual(Object.values(ROWS).map((row) => checksumOf(...row)), GOLDEN);
});
