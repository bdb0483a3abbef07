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

Deno.test("A refusal names what is no plain JSON by its path, and says what to use instead (OPS-06)", () => {
  const schema = z.strictObject({
    when: z.unknown(),
    stages: z.array(z.strictObject({ due: z.unknown() })),
    owner: z.optional(z.strictObject({ tags: z.unknown() })),
    shape: z.union([
      z.strictObject({ side: z.unknown() }),
      z.nullable(z.strictObject({ radius: z.unknown() })),
    ]),
    pair: z.tuple([z.unknown(), z.strictObject({ right: z.unknown() })]),
  });
  const says = (value: unknown): string => messageOf(schema, value);
  assert.equal(
    says({ when: new Date(0) }),
    "Cannot store value.when: it must be plain JSON, not a Date: use its toISOString()",
  );
  assert.equal(
    says({ stages: [{ due: 1 }, { due: undefined }] }),
    "Cannot store value.stages[1].due: it must be plain JSON, not undefined: leave the field out, or use null",
  );
  assert.equal(
    says({ owner: { tags: new Map() } }),
    "Cannot store value.owner.tags: it must be plain JSON, not a Map: use Object.fromEntries() or a list of its entries",
  );
  assert.equal(
    says({ shape: { radius: new Set() } }),
    "Cannot store value.shape.radius: it must be plain JSON, not a Set: use a list",
  );
  assert.equal(
    says({ pair: [1, { right: 1n }] }),
    "Cannot store value.pair[1].right: it must be plain JSON, not a bigint: use a number or a text",
  );
  assert.equal(
    says({ when: new URL("https://example.com") }),
    "Cannot store value.when: it must be plain JSON, not an object of a class",
  );
});

Deno.test("A schema whose unions contain themselves is looked through once", () => {
  interface Tree {
    def: { options: unknown[]; shape: Record<string, unknown> };
  }
  const tree: Tree = { def: { options: [], shape: {} } };
  tree.def.options.push(tree, { def: { options: [tree], element: tree } });
  tree.def.shape["left"] = tree;
  const schema = Object.assign(tree, {
    "~standard": { version: 1, vendor: "by-hand", validate: () => ({ value: 1 }) },
  });
  assert.equal(fieldOf(schema as never, { left: [{ left: 1n, secret: 1 }] }), "value.left[0].left");
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
