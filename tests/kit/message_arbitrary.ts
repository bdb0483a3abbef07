/** Messages of every shape, for property tests. */

import fc from "fast-check";
import { isBlank } from "../../src/canonical/text.ts";
import type { Metadata } from "../../src/contracts/message.ts";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import type { Part } from "../../src/contracts/part.ts";

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

/** Parts that no format but ours has, for tests by table. */
export const PARTS: readonly Part[] = [
  { type: "reasoning", text: "Let me look.", signature: "c2ln", encrypted: "ZW5j" },
  { type: "text", text: "Here" },
  {
    type: "media",
    mediaType: "image/png",
    url: "https://example.com/a.png",
    filename: "a.png",
    alt: "A",
    tokens: 85,
  },
  { type: "text", text: "it is." },
  { type: "data", name: "weather", json: { celsius: -3.5, none: null } },
  { type: "opaque", format: "anthropic", json: null },
];
