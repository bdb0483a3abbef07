/** Random content of every type for the stores of export and import tests. */

import fc from "fast-check";
import { type Memory, openMemory } from "@holdfast/memory";
import { clockAtNoon } from "../conversations/samples.ts";
import type { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { type fill, NOTE } from "../../src/testing/lines/filled_store.ts";

export * from "../../src/testing/lines/filled_store.ts";

/** The content of a store. */
export type Filling = Parameters<typeof fill>[1];

type ScopeFilling = Filling["scopes"][number];
type TurnFilling = ScopeFilling["turns"][number];

const TEXT = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    "阀门 ☃ \u2028\u2029",
    "\u0000\u001f\u007f",
    "\u{1f30d}\u{ffff}",
    "a\nb\r\nc",
    '"\\',
    "\ufeffx",
    "__proto__",
  ),
);
const NAME = TEXT.map((text) => `${text.replace(/\p{Cc}/gu, "")}x`);
const LIVES = fc.constantFrom(null, null, 60, 3_600);

const TURN: fc.Arbitrary<TurnFilling> = fc.record({
  text: TEXT,
  call: fc.boolean(),
  revisions: fc.integer({ min: 1, max: 3 }),
  lives: LIVES,
  zone: fc.constantFrom(
    "2026-03-01T09:00:00Z",
    "2026-03-01T09:00:00.000123+05:30",
    "2026-03-01T09:00:00-11:59",
  ),
});

const SCOPE: fc.Arbitrary<ScopeFilling> = fc.record({
  scope: fc.record({ tenantId: NAME, sessionId: NAME }),
  turns: fc.array(TURN, { maxLength: 5 }),
  pins: fc.array(
    fc.record({ value: TEXT.map((text) => `${text}v`), cites: fc.option(fc.nat(4)), lives: LIVES }),
    { maxLength: 3 },
  ),
  covers: fc.option(fc.nat(5)),
});

/** Fillings of a few scopes of several tenants, and records with values of any shape. */
export const FILLING: fc.Arbitrary<Filling> = fc.record({
  scopes: fc.uniqueArray(SCOPE, { maxLength: 3, selector: ({ scope }) => JSON.stringify(scope) }),
  notes: fc.uniqueArray(
    fc.record({
      tenantId: NAME,
      key: NAME,
      // As text and back, which leaves no -0: that is no value of a record. zod drops a key `__proto__`, so such values
      // are refused.
      value: fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.stringify(value))
        .filter((text) => !text.includes('"__proto__"')).map((text) => JSON.parse(text)),
      ttl: fc.constantFrom(null, 60, 86_400),
      maxAge: fc.constantFrom(null, 1_000),
    }),
    { maxLength: 4, selector: ({ tenantId, key }) => `${tenantId}/${key}` },
  ),
});

/** An empty store in memory that knows {@linkcode NOTE}. */
export function freshStore(clock: MutableClock = clockAtNoon()): Promise<Memory> {
  return openMemory(":memory:", { kinds: [NOTE], clock: clock.now });
}
