import assert from "node:assert/strict";
import { IntegrityError } from "../../src/errors.ts";
import { isExpired, type RecordHead, toHead, toValue, valueChecksum } from "../../src/tables/records.ts";
import { RECORDS } from "../../src/tables/schema/main_tables.ts";
import { flippedBits } from "../kit/bit_flips.ts";

const IDENTITY = { tenantId: "orchard", kind: "fact", key: "preference" };
const BODY = '{"reviewed": false, "schema": 1, "source": "note", "text": "lists"}';
const HEAD: RecordHead = {
  revision: 7,
  created: 1_750_000_000,
  maxAge: 86_400,
  expires: 1_750_000_060,
  version: 3,
  born: 2,
  subject: Uint8Array.of(7, 8, 9),
  names: '["gwen"]',
  valueChecksum: valueChecksum(IDENTITY, { revision: 7, expires: 1_750_000_060, version: 3, body: BODY }),
};
const ROW = [
  ...Object.values(HEAD),
  RECORDS.checksum({ ...IDENTITY, tenant: IDENTITY.tenantId, ...HEAD }),
] as const;
const VALUE = [7, 1_750_000_060, 3, BODY, HEAD.valueChecksum] as const;

Deno.test("toHead() accepts a row with a matching checksum", () => {
  assert.deepEqual(toHead(IDENTITY, ROW), HEAD);
});

Deno.test("toHead() refuses a row with any one bit of any column flipped", () => {
  for (const [column, value] of ROW.entries()) {
    for (const flipped of flippedBits(value!)) {
      assert.throws(() => toHead(IDENTITY, ROW.with(column, flipped)), IntegrityError);
    }
  }
});

Deno.test("toHead() refuses a row under an identity with any one bit flipped", () => {
  for (const field of ["tenantId", "kind", "key"] as const) {
    for (const flipped of flippedBits(IDENTITY[field])) {
      assert.throws(() => toHead({ ...IDENTITY, [field]: flipped }, ROW), IntegrityError);
    }
  }
});

Deno.test("toHead() refuses a row in which a number became NULL", () => {
  for (const column of ROW.keys()) {
    assert.throws(() => toHead(IDENTITY, ROW.with(column, null as never)), IntegrityError);
  }
});

Deno.test("toValue() accepts a row with a matching checksum", () => {
  assert.deepEqual(toValue(IDENTITY, VALUE), {
    revision: 7,
    expires: 1_750_000_060,
    version: 3,
    body: BODY,
  });
});

Deno.test("toValue() refuses a row with any one bit of any column flipped", () => {
  for (const [column, value] of VALUE.entries()) {
    for (const flipped of flippedBits(value)) {
      assert.throws(() => toValue(IDENTITY, VALUE.with(column, flipped as never)), IntegrityError);
    }
  }
});

Deno.test("toValue() refuses a row under an identity with any one bit flipped", () => {
  for (const field of ["tenantId", "kind", "key"] as const) {
    for (const flipped of flippedBits(IDENTITY[field])) {
      assert.throws(() => toValue({ ...IDENTITY, [field]: flipped }, VALUE), IntegrityError);
    }
  }
});

Deno.test("toValue() refuses a column that became NULL, and a body that is cut or of another type", () => {
  for (const column of VALUE.keys()) {
    assert.throws(() => toValue(IDENTITY, VALUE.with(column, null as never)), IntegrityError);
  }
  for (const body of [BODY.slice(1), BODY.slice(0, -1), "", 5, new TextEncoder().encode(BODY)]) {
    assert.throws(() => toValue(IDENTITY, VALUE.with(3, body as never)), IntegrityError);
  }
});

Deno.test("isExpired() is true from the deadline on, and never without one", () => {
  assert.equal(isExpired(110, 109), false);
  assert.equal(isExpired(110, 110), true);
  assert.equal(isExpired(110, 111), true);
  assert.equal(isExpired(null, 10_000_000_000), false);
});
