import assert from "node:assert/strict";
import { z } from "zod";
import type { Json } from "../../src/canonical/plain.ts";
import {
  collectKinds,
  defineKind,
  type KindOptions,
  type RecordKind,
  type StandardSchema,
} from "../../src/contracts/record_kind.ts";
import { forEachRow } from "../../src/testing/kit/each_row.ts";

const COUNT = z.strictObject({ n: z.int() });

Deno.test("defineKind() returns a kind without deadline and with identifiers of any text by default, frozen", () => {
  const kind = defineKind("counter", COUNT);
  const { schema, ...rest } = kind;
  assert.equal(schema, COUNT);
  assert.deepEqual(rest, {
    ...{ name: "counter", version: 1, migrate: null, maxBytes: 2_048, ttlMax: null, identifiers: "text" },
  });
  assert.equal(Object.isFrozen(kind), true);
});

Deno.test("defineKind() takes every limit up to its bounds", () => {
  const widest = defineKind("a".repeat(32), COUNT, {
    maxBytes: 1_000_000,
    ttlMax: 10_000_000_000,
    identifiers: "text",
  });
  assert.deepEqual([widest.maxBytes, widest.ttlMax, widest.identifiers], [1_000_000, 10_000_000_000, "text"]);
  const smallest = defineKind("a", COUNT, { maxBytes: 1, ttlMax: 1 });
  assert.deepEqual([smallest.maxBytes, smallest.ttlMax], [1, 1]);
  assert.equal(defineKind("a", COUNT, { ttlMax: null }).ttlMax, null);
});

/** Invalid kinds, with the field that the error names. */
const BAD_KINDS: readonly (readonly [string, unknown, unknown, unknown, string])[] = [
  ["no name", undefined, COUNT, {}, "name"],
  ["an empty name", "", COUNT, {}, "name"],
  ["a name in capitals", "Counter", COUNT, {}, "name"],
  ["a name with a slash", "a/b", COUNT, {}, "name"],
  ["a name with a newline", "counter\n", COUNT, {}, "name"],
  ["a name of 33 letters", "a".repeat(33), COUNT, {}, "name"],
  ["no schema", "counter", undefined, {}, "schema"],
  ["a schema that is a function", "counter", (): boolean => true, {}, "schema"],
  ["a schema without validate", "counter", { "~standard": { version: 1, vendor: "x" } }, {}, "schema"],
  ["options that are null", "counter", COUNT, null, "options"],
  ["an unknown option", "counter", COUNT, { maxbytes: 5 }, "options"],
  ["maxBytes of 0", "counter", COUNT, { maxBytes: 0 }, "maxBytes"],
  ["maxBytes of 1 000 001", "counter", COUNT, { maxBytes: 1_000_001 }, "maxBytes"],
  ["maxBytes of null", "counter", COUNT, { maxBytes: null }, "maxBytes"],
  ["maxBytes as text", "counter", COUNT, { maxBytes: "5" }, "maxBytes"],
  ["ttlMax of 0", "counter", COUNT, { ttlMax: 0 }, "ttlMax"],
  ["ttlMax beyond 10^10", "counter", COUNT, { ttlMax: 10_000_000_001 }, "ttlMax"],
  ["ttlMax of Infinity", "counter", COUNT, { ttlMax: Infinity }, "ttlMax"],
  ["version 0", "counter", COUNT, { version: 0 }, "version"],
  ["version 1 000 001", "counter", COUNT, { version: 1_000_001 }, "version"],
  ["a version as text", "counter", COUNT, { version: "2" }, "version"],
  ["a migrate that is no function", "counter", COUNT, { migrate: {} }, "migrate"],
  ["a migrate of null", "counter", COUNT, { migrate: null }, "migrate"],
  ["identifiers of another format", "counter", COUNT, { identifiers: "wide" }, "identifiers"],
  ["identifiers of null", "counter", COUNT, { identifiers: null }, "identifiers"],
];

Deno.test("defineKind() refuses invalid options, naming the field", async () => {
  await forEachRow(BAD_KINDS, ([, name, schema, options, field]) => {
    const call = (): RecordKind<unknown> =>
      defineKind(name as string, schema as StandardSchema<Json>, options as KindOptions);
    assert.throws(call, { name: "ContractError", field });
    return Promise.resolve();
  });
});

Deno.test("Checkpoint and fact keep the reference's limits: a day, and narrow identifiers", () => {
  for (const kind of collectKinds([], 10).values()) {
    const { version, migrate, maxBytes, ttlMax, identifiers } = kind;
    assert.deepEqual([version, migrate, maxBytes, ttlMax, identifiers], [1, null, 2_048, 86_400, "narrow"]);
  }
});

Deno.test("A store has checkpoint, fact, and the kinds passed to it", () => {
  const kinds = collectKinds([defineKind("counter", COUNT)], 10);
  assert.deepEqual([...kinds.keys()], ["checkpoint", "fact", "counter"]);
});

/** Values that are no list of kinds. */
const BAD_LISTS: readonly (readonly [string, unknown])[] = [
  ["a kind by itself", defineKind("counter", COUNT)],
  ["a text", "counter"],
  ["a list with null", [null]],
  ["a list with a name", ["counter"]],
  ["the same name twice", [defineKind("counter", COUNT), defineKind("counter", COUNT)]],
  ["the name of a built-in kind", [defineKind("fact", COUNT)]],
  ["too many", Array.from({ length: 11 }, (_, index) => defineKind(`k${index}`, COUNT))],
  ["a kind made by hand, without limits", [{ name: "counter", schema: COUNT }]],
  ["a kind made by hand, with a name no kind has", [{ ...defineKind("counter", COUNT), name: "a/b" }]],
];

Deno.test("Only a list of kinds from defineKind(), each name once, is accepted", async () => {
  await forEachRow(BAD_LISTS, ([, kinds]) => {
    assert.throws(() => collectKinds(kinds, 10), { name: "ContractError", field: "kinds" });
    return Promise.resolve();
  });
});
