import assert from "node:assert/strict";
import { instantOf } from "../../src/canonical/time.ts";
import { keyedPins } from "../../src/contracts/keyed_pins.ts";
import { effective, isActive, pin, type TimedPin, toPin } from "../../src/contracts/pin.ts";
import { HELLO, SCOPE } from "../vectors/conversation.ts";
import { refuses } from "./refusal.ts";

const PIN = { scope: SCOPE, key: "k", value: "v", origin: "app" };
const OTHER = { tenantId: "other", sessionId: "s" };

Deno.test("pin() fills in revision 1 and leaves a missing start open", () => {
  const made = pin({ ...PIN, expiresAt: null, source: null });
  assert.deepEqual({ ...made }, { ...PIN, revision: 1 });
  assert(Object.isFrozen(made));
  assert.equal(toPin(made), made);
});

Deno.test("pin() keeps times with their offsets, and its source", () => {
  const made = pin({
    ...PIN,
    effectiveAt: "2026-01-01T00:00:00+02:00",
    expiresAt: new Date(Date.UTC(2026, 0, 2)),
    source: HELLO,
  });
  assert.equal(made.effectiveAt, "2026-01-01T00:00:00+02:00");
  assert.equal(made.expiresAt, "2026-01-02T00:00:00+00:00");
  assert.deepEqual(made.source, HELLO);
  assert(Object.isFrozen(made.source));
});

const REFUSED: readonly [rule: string, field: string, change: Record<string, unknown>][] = [
  ["no scope", "scope", { scope: null }],
  ["a blank key", "key", { key: " " }],
  ["a blank value", "value", { value: "" }],
  ["a blank origin", "origin", { origin: "\n" }],
  ["revision 0", "revision", { revision: 0 }],
  ["a start without an offset", "effectiveAt", { effectiveAt: "2026-01-01T00:00:00" }],
  ["an expiry on 31 April", "expiresAt", { expiresAt: "2026-04-31T00:00:00Z" }],
  ["an expiry at its start", "expiresAt", {
    effectiveAt: "2026-01-01T00:00:00Z",
    expiresAt: "2026-01-01T01:00:00+01:00",
  }],
  ["an expiry before its start", "expiresAt", {
    effectiveAt: "2026-01-01T00:00:00.000001Z",
    expiresAt: "2026-01-01T00:00:00Z",
  }],
  ["a source that is no object", "source", { source: "secret" }],
  ["a source of another scope", "source.scope", { source: { ...HELLO, scope: OTHER } }],
  ["an empty range", "source.end", { source: { ...HELLO, start: 5, end: 5 } }],
  ["a negative start", "source.start", { source: { ...HELLO, start: -1 } }],
  ["a hash in capitals", "source.messageHash", { source: { ...HELLO, messageHash: "A".repeat(64) } }],
  ["a short hash", "source.messageHash", { source: { ...HELLO, messageHash: "a".repeat(63) } }],
  ["a hash with a newline", "source.messageHash", {
    source: { ...HELLO, messageHash: `${"a".repeat(64)}\n` },
  }],
  ["a source's revision 0", "source.revision", { source: { ...HELLO, revision: 0 } }],
];

for (const [rule, field, change] of REFUSED) {
  Deno.test(`pin() refuses ${rule}`, () => refuses(field, () => toPin({ ...PIN, ...change }, "")));
}

Deno.test("pin() names an unexpected field by its key", () => {
  refuses("extra", () => toPin({ ...PIN, extra: "secret" }, ""));
  refuses("pin.source.extra", () => toPin({ ...PIN, source: { ...HELLO, extra: "secret" } }));
});

Deno.test("effective() fills in an open start, and refuses one at or after the expiry", () => {
  const start = "2026-01-01T00:00:00+00:00";
  assert.equal(effective(pin(PIN), start).effectiveAt, start);
  const closed = effective(pin(PIN), start);
  assert.equal(effective(closed, "2027-01-01T00:00:00+00:00"), closed);
  refuses("pin.expiresAt", () => effective(pin({ ...PIN, expiresAt: start }), start));
});

Deno.test("isActive() counts from the start to before the expiry, to the microsecond", () => {
  const made = pin({
    ...PIN,
    effectiveAt: "2026-01-01T00:00:00.000001Z",
    expiresAt: "2026-01-01T02:00:00+01:00",
  }) as TimedPin;
  const table: readonly [string, boolean][] = [
    ["2026-01-01T00:00:00+00:00", false],
    ["2026-01-01T00:00:00.000001+00:00", true],
    ["2026-01-01T00:59:59.999999+00:00", true],
    ["2026-01-01T01:00:00+00:00", false],
  ];
  for (const [at, active] of table) assert.equal(isActive(made, instantOf(at)), active, at);
  const lasting = effective(pin(PIN), "2026-01-01T00:00:00+00:00");
  assert.equal(isActive(lasting, instantOf("9999-01-01T00:00:00+00:00")), true);
});

Deno.test("keyedPins() sorts by code point and keeps the list it was given", () => {
  const given = ["\u{1f30d}", "\uffff", "a", "Z"].map((key) => pin({ ...PIN, key }));
  const set = keyedPins(SCOPE, given);
  assert.deepEqual(set.pins.map(({ key }) => key), ["Z", "a", "\uffff", "\u{1f30d}"]);
  assert.equal(given[0]?.key, "\u{1f30d}");
  assert(Object.isFrozen(set) && Object.isFrozen(set.pins));
});

Deno.test("keyedPins() refuses a pin of another scope and a repeated key", () => {
  const made = pin(PIN);
  refuses("pins[1].key", () => keyedPins(SCOPE, [made, pin({ ...PIN, value: "w" })]));
  refuses("pins[0].scope", () => keyedPins(OTHER, [made]));
});
