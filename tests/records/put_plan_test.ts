import assert from "node:assert/strict";
import { ConflictError } from "../../src/errors.ts";
import { planHead } from "../../src/records/put.ts";
import type { RecordHead } from "../../src/tables/records.ts";

const BODY = "{}";
const NOBODYS = { born: 0, subject: null, names: null };
const COUNTS = { revision: 2, deletions: 0 };
const IDENTITY = { tenantId: "orchard", kind: "fact", key: "preference" };

const PLAN = { identity: IDENTITY, version: 1, body: BODY, subject: null, names: [] };

function oldHead(created: number, maxAge: number | null): RecordHead {
  return { revision: 1, created, maxAge, expires: null, version: 1, ...NOBODYS, valueChecksum: 0 };
}

/** ttl, maxAge, the old row's creation and maxAge (or no row), now; creation, maxAge and deadline of the new row. */
const PLANS: readonly (readonly [
  number | null,
  number | null,
  RecordHead | null,
  number,
  number,
  number | null,
  number | null,
])[] = [
  [60, null, null, 100, 100, null, 160],
  [null, null, null, 100, 100, null, null],
  [60, 10, null, 100, 100, 10, 110],
  [10, 60, null, 100, 100, 60, 110],
  [null, 60, null, 100, 100, 60, 160],
  [60, null, oldHead(100, null), 150, 100, null, 210],
  [60, null, oldHead(100, 80), 150, 100, 80, 180],
  [60, 500, oldHead(100, 80), 150, 100, 80, 180],
  [60, 70, oldHead(100, 80), 150, 100, 70, 170],
  [60, 70, oldHead(100, null), 150, 100, 70, 170],
  [null, null, oldHead(100, 80), 150, 100, 80, 180],
  [60, 51, oldHead(100, null), 150, 100, 51, 151],
];

Deno.test("planHead() keeps the creation time, only lowers maxAge, and chooses the earlier deadline", () => {
  for (const [ttl, maxAge, old, now, created, planned, expires] of PLANS) {
    const head = planHead({ ...PLAN, ttl, maxAge }, old, now, COUNTS);
    assert.deepEqual([head.revision, head.created, head.maxAge, head.expires], [
      2,
      created,
      planned,
      expires,
    ]);
  }
});

Deno.test("planHead() refuses a deadline that is not after now", () => {
  for (const maxAge of [1, 49, 50]) {
    assert.throws(
      () => planHead({ ...PLAN, ttl: 60, maxAge }, oldHead(100, null), 150, COUNTS),
      (error) => error instanceof ConflictError && error.reason === "EXPIRED" && error.currentRevision === 1,
    );
  }
});
