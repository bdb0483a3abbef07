/** Messages of every shape, for property tests. */

import fc from "fast-check";
import { isBlank } from "../../src/canonical/text.ts";
import type { Metadata } from "../../src/contracts/message.ts";
import type { NewMessage } from "../../src/contracts/new_message.ts";

/** A name that is a column of its own. */
export const NAME: fc.Arbitrary<string> = fc.string({ unit: "binary", minLength: 1, maxLength: 6 }).filter((
  text,
) => !isBlank(text) && !text.includes("\0"));

const TEXT = fc.string({ unit: "binary", maxLength: 20 });

/** JSON without what JSON.stringify changes. */
const JSON_VALUE = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));

/** Metadata. */
export const METADATA: fc.Arbitrary<Metadata> = fc.dictionary(NAME, JSON_VALUE, {
  maxKeys: 3,
}).map((made) => ({ ...made }));

const MEDIA_FACTS = {
  type: fc.constant("media" as const),
  mediaType: fc.constantFrom("image/png", "audio/wav"),
  filename: NAME,
  alt: TEXT,
  tokens: fc.nat(),
};

const PART = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: TEXT }),
  fc.record({ type: fc.constant("reasoning" as const), text: TEXT, signature: TEXT, encrypted: TEXT }, {
    requiredKeys: ["type", "text"],
  }),
  fc.record({ ...MEDIA_FACTS, url: NAME }, { requiredKeys: ["type", "mediaType", "url"] }),
  fc.record({ type: fc.constant("data" as const), name: NAME, json: JSON_VALUE }),
  fc.record({ type: fc.constant("opaque" as const), format: NAME, json: JSON_VALUE }),
);

const CONTENT = fc.oneof(TEXT, fc.array(PART, { maxLength: 4 }));

const ARGUMENTS = fc.oneof(
  fc.dictionary(NAME, JSON_VALUE).map((value) => JSON.stringify(value)),
  fc.constantFrom("", '{"cmd":"echo ', "[]", "7"),
  TEXT,
  JSON_VALUE,
);

const CALLS = fc.uniqueArray(NAME, { minLength: 1, maxLength: 3 }).chain((ids) =>
  fc.tuple(...ids.map((id) => fc.record({ id: fc.constant(id), name: NAME, arguments: ARGUMENTS })))
);

const FACTS = { name: NAME, metadata: METADATA };

/** A message without an id. */
export const SPOKEN: fc.Arbitrary<NewMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "developer", "user"), content: CONTENT, ...FACTS }, {
    requiredKeys: ["role", "content"],
  }),
  fc.record({
    role: fc.constant("tool"),
    content: CONTENT,
    toolCallId: NAME,
    isError: fc.boolean(),
    ...FACTS,
  }, {
    requiredKeys: ["role", "content", "toolCallId"],
  }),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(CONTENT, fc.constant(null)),
    toolCalls: CALLS,
    ...FACTS,
  }, { requiredKeys: ["role"] }),
) as unknown as fc.Arbitrary<NewMessage>;
