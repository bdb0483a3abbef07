import assert from "node:assert/strict";
import { z } from "zod";
import { defineKind, type StandardSchema } from "../../src/contracts/record_kind.ts";
import { toBody } from "../../src/records/validate_value.ts";

/** The message of an error. */
function messageOf(schema: StandardSchema<unknown>, value: unknown): string {
  try {
    toBody(defineKind("tested", schema), value);
  } catch (error) {
    return (error as { message: string }).message;
  }
  return "none";
}

/** The field that an error names. */
function fieldOf(schema: StandardSchema<unknown>, value: unknown): string {
  try {
    toBody(defineKind("tested", schema), value);
  } catch (error) {
    return (error as { field: string }).field;
  }
  return "none";
}

Deno.test("A refusal names fields that the schema declares, at any depth", () => {
  const schema = z.strictObject({
    list: z.array(z.strictObject({ n: z.int() })),
    maybe: z.optional(z.string()),
  });
  assert.equal(fieldOf(schema, { list: [{ n: 1 }, { n: "x" }] }), "value.list[1].n");
  assert.equal(fieldOf(schema, { list: 5 }), "value.list");
  assert.equal(fieldOf(schema, { list: [], maybe: 5 }), "value.maybe");
  assert.equal(fieldOf(schema, { list: [{ n: 1n }] }), "value.list[0].n");
  assert.equal(fieldOf(schema, { list: [{ n: 1, extra: 2 }] }), "value.list[0]");
});

Deno.test("A refusal stops at the first name that the schema does not declare: it may be content", () => {
  const schema = z.strictObject({ byName: z.record(z.string(), z.int()) });
  assert.equal(fieldOf(schema, { byName: { secret: "x" } }), "value.byName");
  assert.equal(fieldOf(schema, { byName: { secret: NaN } }), "value.byName");
});

Deno.test("A refusal by another library's schema names the value as a whole", () => {
  const schema: StandardSchema<unknown> = {
    "~standard": {
      version: 1,
      vendor: "other",
      validate: () => ({ issues: [{ message: "no", path: ["secret", 0] }] }),
    },
  };
  assert.equal(fieldOf(schema, { secret: [1] }), "value");
});

Deno.test("A misfit tells the code of the schema's issue, where it is a name and not a text", () => {
  const schema = z.strictObject({ step: z.int().max(3), name: z.string().min(2) });
  const says = (value: unknown): string => messageOf(schema, value);
  assert.equal(says({ step: 4, name: "ab" }), "Expected value.step to fit the kind tested: too_big");
  assert.equal(says({ step: 1, name: "a" }), "Expected value.name to fit the kind tested: too_small");
  assert.equal(says({ step: 1 }), "Expected value.name to fit the kind tested: invalid_type");
  assert.equal(
    says({ step: 1, name: "ab", secret: 1 }),
    "Expected value to fit the kind tested: unrecognized_keys",
  );
  const coded = (code: unknown): StandardSchema<unknown> => ({
    "~standard": {
      version: 1,
      vendor: "other",
      validate: () => ({ issues: [{ message: "secret", code }] as never }),
    },
  });
  assert.equal(messageOf(coded("min_length"), 1), "Expected value to fit the kind tested: min_length");
  for (
    const code of [undefined, 7, "", "my secret", "secret\n", "x".repeat(41), { toString: () => "secret" }]
  ) {
    assert.equal(messageOf(coded(code), 1), "Expected value to fit the kind tested");
  }
});
