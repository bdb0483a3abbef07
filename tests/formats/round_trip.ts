/** What every format promises, as properties of one. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { toNewMessages } from "../../src/contracts/message.ts";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import type { Part } from "../../src/contracts/part.ts";
import type { Format, Messages, WriteOptions } from "../../src/formats/message_formats.ts";
import { sha256Hex } from "../../src/canonical/sha256.ts";

/** JSON as a parser gives it. */
export const JSON_VALUE: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 }).map((value) =>
  JSON.parse(JSON.stringify(value))
);

/** Fields of a newer version of a protocol, which no format knows. */
export const STRANGE_FIELDS: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(
  fc.constantFrom("novel", "cache_control", "x-y", "0"),
  JSON_VALUE,
  { maxKeys: 2 },
).map((made) => ({ ...made }));

/** An item with and without fields that no format knows. */
export function withStrangeFields<T extends object>(item: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: item }, {
    weight: 1,
    arbitrary: fc.tuple(STRANGE_FIELDS, item).map(([strange, known]) => ({ ...strange, ...known })),
  });
}

/** Texts, of which some are like JSON, empty or in need of escapes. */
export const TEXT: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("", "Where is order 7?", '{"a":', "\u{1f680}\n", "__proto__"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);

/** A name that is not blank. */
export const NAME: fc.Arbitrary<string> = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);

/** Bytes. */
export const BYTES: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 40 }).map((bytes) =>
  new Uint8Array(bytes)
);

/** A copy whose objects are ordinary ones: some that fast-check makes have no prototype. */
export function ordinary<T>(value: T): T {
  if (Array.isArray(value)) return value.map(ordinary) as T;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof URL) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, ordinary(inner)])) as T;
}

/** Requires that a history goes through a format and comes out the same, also of what is read back from a store. */
export function assertUnchanged<Theirs, Written>(
  format: Format<Theirs, Written>,
  given: Theirs,
): NewMessage[] {
  const theirs = ordinary(given);
  const messages = format.parse(theirs);
  assert.deepEqual(theirs, ordinary(given), "parse changes nothing");
  assert.deepEqual(format.write(messages), theirs);
  if (messages.length > 0) {
    assert.deepEqual(format.write(...readBack(messages)), theirs, "as it is read back");
  }
  return messages;
}

/** The messages as a store reads them back, without ids, and the bytes of their media. */
export function readBack(messages: readonly NewMessage[]): [messages: Messages, options: WriteOptions] {
  const media = new Map<string, Uint8Array>();
  const stored = toNewMessages(messages).map((message) => {
    const parts = message.parts?.map((part): Part => {
      if (part.type !== "media" || part.data === undefined) return part;
      const { data, ...facts } = part;
      const ref = sha256Hex(data);
      media.set(ref, data);
      return { ...facts, ref, bytes: data.length };
    });
    return { ...message, messageId: message.messageId ?? "", ...(parts === undefined ? {} : { parts }) };
  });
  return [stored, { media }];
}

/** Requires that what a format can express comes back as it was. */
export function assertExpressed<Theirs, Written extends Theirs>(
  format: Format<Theirs, Written>,
  given: readonly NewMessage[],
): void {
  const messages = ordinary(given);
  assert.deepEqual(format.parse(format.write(messages)), messages);
}
