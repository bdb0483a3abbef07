import fc from "fast-check";
import assert from "node:assert/strict";
import {
  compareInstants,
  expiryMs,
  instantFromMs,
  instantOf,
  readStoredInstant,
  toInstant,
} from "../../src/canonical/time.ts";
import { refuses } from "../contracts/refusal.ts";
import { VECTORS } from "../vectors/conversation.ts";

for (const { text, utc_offset_seconds } of VECTORS.isoformat) {
  Deno.test(`readStoredInstant() keeps the reference's text ${text}`, () => {
    const instant = readStoredInstant(text);
    assert.equal(instant?.text, text);
    const local = Date.UTC(2000, 0, 1) + Date.parse(`${text.slice(0, 19)}Z`) - Date.UTC(2000, 0, 1);
    assert.equal(instant?.seconds, local / 1_000 - utc_offset_seconds);
  });
}

const WRITTEN: readonly [given: string, text: string][] = [
  ["2026-09-08T00:00:00Z", "2026-09-08T00:00:00+00:00"],
  ["2026-09-08t00:00:00z", "2026-09-08T00:00:00+00:00"],
  ["2026-09-08T00:00:00-00:00", "2026-09-08T00:00:00+00:00"],
  ["2026-09-08T01:02:03.456+05:30", "2026-09-08T01:02:03.456000+05:30"],
  ["2026-09-08T01:02:03.000000-11:00", "2026-09-08T01:02:03-11:00"],
  ["2026-09-08T01:02:03.000001Z", "2026-09-08T01:02:03.000001+00:00"],
  ["2024-02-29T23:59:59.9Z", "2024-02-29T23:59:59.900000+00:00"],
  ["0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00+23:59"],
  ["9999-12-31T23:59:59.999999-23:59", "9999-12-31T23:59:59.999999-23:59"],
];

for (const [given, text] of WRITTEN) {
  Deno.test(`toInstant() writes ${given} as ${text}`, () => assert.equal(toInstant(given, "at").text, text));
}

const REFUSED: readonly string[] = [
  "2023-02-29T10:00:00Z",
  "2024-02-30",
  "2024-04-31T00:00:00.000Z",
  "2024-06-30T24:00:00Z",
  "2016-12-31T23:59:60Z",
  "1",
  "2024-1-1",
  "2024-01-01T00:00:00",
  " 2024-01-01T00:00:00Z",
  "2024-01-01T00:00:00Z ",
  "2024-01-01T00:00:00Z\n",
  "2024-01-01 00:00:00Z",
  "2024-01-01T00:00Z",
  "2024-01-01T00:60:00Z",
  "2024-13-01T00:00:00Z",
  "2024-00-01T00:00:00Z",
  "2024-01-00T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "+12024-01-01T00:00:00Z",
  "2024-01-01T00:00:00+24:00",
  "2024-01-01T00:00:00+05:60",
  "2024-01-01T00:00:00+0530",
  "2024-01-01T00:00:00+05",
  "2024-01-01T00:00:00-03:00:07",
  "2024-01-01T00:00:00.Z",
  "2024-01-01T00:00:00,5Z",
  "2024-01-01T00:00:00.1234567Z",
  "２０２４-01-01T00:00:00Z",
  "",
];

for (const given of REFUSED) {
  Deno.test(`toInstant() refuses ${JSON.stringify(given)} and names the field [REC-10]`, () => {
    refuses(
      "expiresAt",
      () => toInstant(given, "expiresAt"),
      given === "1" || given === "" ? "secret" : given,
    );
  });
}

Deno.test("toInstant() takes the last day of each month, and not the day after it", () => {
  for (const year of [2023, 2024]) {
    for (let month = 1; month <= 12; month++) {
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
      const on = (day: number): string => `${year}-${String(month).padStart(2, "0")}-${day}T10:00:00Z`;
      assert.equal(toInstant(on(last), "at").seconds, Date.parse(on(last)) / 1_000);
      refuses("at", () => toInstant(on(last + 1), "at"));
    }
  }
});

Deno.test("toInstant() takes a Date, and nothing that only looks like one", () => {
  assert.deepEqual(toInstant(new Date(1_700_000_000_123), "at"), {
    text: "2023-11-14T22:13:20.123000+00:00",
    seconds: 1_700_000_000,
    microseconds: 123_000,
  });
  assert.equal(toInstant(new Date(-1), "at").text, "1969-12-31T23:59:59.999000+00:00");
  const lookAlikes = [
    new Date(NaN),
    new Date(8.64e15),
    new Date(Date.UTC(0, 0, 1) - 1e14),
    Object.create(Date.prototype),
    new Proxy(new Date(0), {}),
    { getTime: (): number => 0 },
    0,
    0n,
    null,
    undefined,
    Object("2024-01-01T00:00:00Z"),
  ];
  for (const value of lookAlikes) refuses("at", () => toInstant(value, "at"));
});

Deno.test("toInstant() reads the time of a Date itself, not of an overridden method", () => {
  class Late extends Date {
    override getTime(): number {
      return 1e12;
    }
  }
  assert.equal(toInstant(new Late(0), "at").seconds, 0);
});

Deno.test("compareInstants() compares instants across offsets, to the microsecond", () => {
  const order = [
    "2026-09-08T05:30:00+05:30",
    "2026-09-08T00:00:00.000001Z",
    "2026-09-07T20:00:00.000002-04:00",
    "2026-09-08T00:00:01Z",
  ].map((text) => toInstant(text, "at"));
  for (const [index, instant] of order.entries()) {
    for (const [other, second] of order.entries()) {
      assert.equal(Math.sign(compareInstants(instant, second)), Math.sign(index - other));
    }
  }
  const zero = compareInstants(
    toInstant("1970-01-01T05:30:00+05:30", "at"),
    toInstant("1970-01-01T00:00:00Z", "at"),
  );
  assert.equal(zero, 0);
});

Deno.test("an instant's seconds agree with Date for every day of years 1 to 9999", () => {
  const days = fc.integer({ min: -719_162, max: 2_932_896 });
  fc.assert(fc.property(days, fc.integer({ min: 0, max: 86_399_999 }), (day, millisecond) => {
    const ms = day * 86_400_000 + millisecond;
    const text = new Date(ms).toISOString();
    const instant = toInstant(text, "at");
    assert.equal(instant.seconds * 1_000 + instant.microseconds / 1_000, ms);
    assert.deepEqual(instantFromMs(ms), instant);
    assert.deepEqual(instantOf(instant.text), instant);
  }));
});

Deno.test("toInstant() is exact to the microsecond, beyond the precision of a double, and rounds seconds down", () => {
  const last = toInstant("9999-12-31T23:59:59.999999Z", "at");
  assert.deepEqual([last.seconds, last.microseconds], [253_402_300_799, 999_999]);
  const before = toInstant("1969-12-31T23:59:59.999999Z", "at");
  assert.deepEqual([before.seconds, before.microseconds], [-1, 999_999]);
});

Deno.test("expiryMs() is the first whole millisecond that is not before the instant", () => {
  assert.equal(expiryMs(toInstant("1970-01-01T00:00:01Z", "at")), 1_000);
  assert.equal(expiryMs(toInstant("1970-01-01T00:00:01.000001Z", "at")), 1_001);
  assert.equal(expiryMs(toInstant("1969-12-31T23:59:59.999999Z", "at")), 0);
});

Deno.test("instantFromMs() drops fractions of a millisecond and refuses times outside the years 1 to 9999", () => {
  assert.equal(instantFromMs(1.9).text, "1970-01-01T00:00:00.001000+00:00");
  for (const ms of [NaN, Infinity, 253_402_300_800_000, -62_135_596_800_001]) {
    refuses("clock", () => instantFromMs(ms));
  }
});

Deno.test("readStoredInstant() takes a space and an offset with seconds, and still checks the calendar", () => {
  assert.equal(readStoredInstant("2026-09-08 00:00:00-03:00:07")?.text, "2026-09-08T00:00:00-03:00:07");
  assert.equal(readStoredInstant("2026-09-08T00:00:00+00:00:00")?.text, "2026-09-08T00:00:00+00:00");
  for (
    const text of ["2026-09-08", "2026-02-30T00:00:00Z", "20260908T000000Z", "2026-09-08T00:00:00+00:00:60"]
  ) {
    assert.equal(readStoredInstant(text), null);
  }
});
