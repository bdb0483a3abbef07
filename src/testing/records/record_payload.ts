/** What a record holds: exact rules, exact bytes. */

import assert from "node:assert/strict";
import { defineKind } from "../../contracts/record_kind.ts";
import { ContractError } from "../../errors.ts";
import { forEachRow } from "../kit/each_row.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { ANYTHING, factOf, PREFERENCE, RUN, schemaOf, START, wholeNumbers } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };
const SNOWMAN = "☃";

/** Values that break a rule, and the field that is named. */
const BAD_CHECKPOINTS: readonly (readonly [string, unknown, string])[] = [
  ["a schema of 2", { schema: 2, step: 0, items: [] }, "value.schema"],
  ["a schema of true", { schema: true, step: 0, items: [] }, "value.schema"],
  ["a schema of '1'", { schema: "1", step: 0, items: [] }, "value.schema"],
  ["no schema", { step: 0, items: [] }, "value.schema"],
  ["a step of 3", { schema: 1, step: 3, items: [] }, "value.step"],
  ["a step of -1", { schema: 1, step: -1, items: [] }, "value.step"],
  ["a step of 0.5", { schema: 1, step: 0.5, items: [] }, "value.step"],
  ["a step of true", { schema: 1, step: true, items: [] }, "value.step"],
  ["a step of '1'", { schema: 1, step: "1", items: [] }, "value.step"],
  ["a step of 1n", { schema: 1, step: 1n, items: [] }, "value.step"],
  ["a step of -0", { schema: 1, step: -0, items: [] }, "value.step"],
  ["a step of NaN", { schema: 1, step: NaN, items: [] }, "value.step"],
  ["no step", { schema: 1, items: [] }, "value.step"],
  ["nine items", { schema: 1, step: 0, items: Array(9).fill("x") }, "value.items"],
  ["an empty item", { schema: 1, step: 0, items: ["x", ""] }, "value.items[1]"],
  ["an item of 257 code points", { schema: 1, step: 0, items: ["🌍".repeat(257)] }, "value.items[0]"],
  ["an item that is a number", { schema: 1, step: 0, items: [7] }, "value.items[0]"],
  ["items that are a text", { schema: 1, step: 0, items: "x" }, "value.items"],
  ["a further field", { ...START, transcript: "x" }, "value"],
  ["a list for a value", [1, 0, []], "value"],
  ["null for a value", null, "value"],
  ["a text for a value", "checkpoint", "value"],
];

const BAD_FACTS: readonly (readonly [string, unknown, string])[] = [
  ["no source", { schema: 1, text: "x", reviewed: false }, "value.source"],
  ["an empty text", factOf(""), "value.text"],
  ["a text of 257 code points", factOf("é".repeat(257)), "value.text"],
  ["reviewed as 1", { ...factOf("x"), reviewed: 1 }, "value.reviewed"],
  ["reviewed as 'true'", { ...factOf("x"), reviewed: "true" }, "value.reviewed"],
  ["reviewed as null", { ...factOf("x"), reviewed: null }, "value.reviewed"],
  ["a checkpoint's shape", START, "value.text"],
  ["a further field", { ...factOf("x"), note: "x" }, "value"],
];

/** What is said of a value that breaks a rule of ours: the rule, and nothing of the value. */
const SAID:
  readonly (readonly [identity: typeof RUN | typeof PREFERENCE, value: unknown, message: string])[] = [
    [
      RUN,
      { schema: 1, step: 3, items: [] },
      "Expected value.step to fit the kind checkpoint: it must be a whole number from 0 to 2",
    ],
    [
      RUN,
      { schema: 1, step: 0, items: Array(9).fill("x") },
      "Expected value.items to fit the kind checkpoint: it must have at most 8 items",
    ],
    [
      RUN,
      { ...START, transcript: "x" },
      "Expected value to fit the kind checkpoint: it must have no unknown field",
    ],
    [
      PREFERENCE,
      factOf("x".repeat(257)),
      "Expected value.text to fit the kind fact: it must have 1 to 256 code points",
    ],
    [
      PREFERENCE,
      { ...factOf("x"), reviewed: 1 },
      "Expected value.reviewed to fit the kind fact: it must be true or false",
    ],
  ];

export function testPayload(suite: Suite): void {
  const { promise } = suite;
  promise("Records.put() says which rule a checkpoint or fact breaks", async (store) => {
    const { records } = await store.open();
    await forEachRow(SAID, async ([identity, value, message]) => {
      await store.assertChangesNothing(() => records.put(identity, value as never, CREATE), {
        code: "CONTRACT",
        message,
      });
    });
  });

  promise("Records.put() refuses every checkpoint that breaks a rule, naming the field", async (store) => {
    const { records } = await store.open();
    await forEachRow(BAD_CHECKPOINTS, async ([, value, field]) => {
      await store.assertChangesNothing(() => records.put(RUN, value as never, CREATE), {
        code: "CONTRACT",
        field,
      });
    });
  });
  promise("Records.put() refuses every fact that breaks a rule, naming the field", async (store) => {
    const { records } = await store.open();
    await forEachRow(BAD_FACTS, async ([, value, field]) => {
      await store.assertChangesNothing(() => records.put(PREFERENCE, value as never, CREATE), {
        code: "CONTRACT",
        field,
      });
    });
  });
  testSizes(suite);
  testStoredForm(suite);
  testKinds(suite);
}

function testSizes({ promise }: Suite): void {
  promise(
    "Records.put() counts code points: 160 globes fit, though they are 320 code units",
    async (store) => {
      const { records } = await store.open();
      for (const text of ["🌍".repeat(160), "é".repeat(256)]) {
        const identity = { ...PREFERENCE, key: `k${text.length}` };
        await records.put(identity, factOf(text), CREATE);
        assert.equal((await records.get(identity, { now: 100 }))?.value.text, text);
      }
    },
  );

  promise(
    "Records.put() refuses 256 snowmen in both texts: within the characters, over the bytes",
    async (store) => {
      const { records } = await store.open();
      const value = {
        schema: 1,
        text: SNOWMAN.repeat(256),
        source: SNOWMAN.repeat(256),
        reviewed: false,
      } as const;
      await store.assertChangesNothing(() => records.put(PREFERENCE, value, CREATE), (error) => {
        assert(error instanceof ContractError);
        assert.equal(error.field, "value");
        assert.deepEqual(error.details, { field: "value", maximum: 2_048, bytes: 3_130 });
        return true;
      });
    },
  );

  promise("Records.put() takes 2 048 bytes as stored and refuses 2 049", async (store) => {
    const { records } = await store.open();
    const room = 2_048 - '{"reviewed": false, "schema": 1, "source": "", "text": ""}'.length;
    const snowmen = SNOWMAN.repeat(256);
    const source = SNOWMAN.repeat(Math.floor((room - 1_536) / 6));
    const rest = "x".repeat(room - 1_536 - source.length * 6);
    await records.put(
      PREFERENCE,
      { schema: 1, text: snowmen, source: source + rest, reviewed: false },
      CREATE,
    );
    assert.deepEqual((await store.rows(RECORDS)).map(({ body }) => body.length), [2_048]);
    await store.assertChangesNothing(
      () =>
        records.put(PREFERENCE, { schema: 1, text: snowmen, source: source + rest + "x", reviewed: false }, {
          ...CREATE,
          expectedRevision: 1,
        }),
      { code: "CONTRACT", field: "value" },
    );
  });

  promise("Records.put() takes eight items and steps 0, 1 and 2", async (store) => {
    const { records } = await store.open();
    for (const step of [0, 1, 2]) {
      const key = `run-${step}`;
      await records.put({ ...RUN, key }, { schema: 1, step, items: Array(8).fill("x") }, CREATE);
      assert.equal((await records.get({ ...RUN, key }, { now: 100 }))?.value.step, step);
    }
  });

  promise(
    "Records.put() takes a million bytes for a kind that allows them, and not one more",
    async (store) => {
      const { records } = await store.open({ kinds: [ANYTHING] });
      const identity = { tenantId: "orchard", kind: "anything", key: "large" };
      const text = "x".repeat(999_998);
      await records.put(identity, text, { expectedRevision: null, ttl: null });
      assert.equal((await records.get(identity))?.value, text);
      await store.assertChangesNothing(
        () => records.put(identity, text + "x", { expectedRevision: 1, ttl: null }),
        {
          code: "CONTRACT",
          field: "value",
        },
      );
    },
  );
}

function testStoredForm({ promise }: Suite): void {
  promise("Records store JSON with sorted keys, spaced separators and \\u escapes", async (store) => {
    const { records } = await store.open();
    const value = { text: 'a☃🌍\u007f\u0000\n"\\', source: "né", schema: 1, reviewed: true } as const;
    await records.put(PREFERENCE, value, CREATE);
    assert.deepEqual(await store.cells(RECORDS, "body"), [[
      String.raw`{"reviewed": true, "schema": 1, "source": "n\u00e9", "text": "a\u2603\ud83c\udf0d` +
      "\u007f" +
      String.raw`\u0000\n\"\\"}`,
    ]]);
  });

  promise("DRV-01 Records give back text with NUL at any place, whole", async (store) => {
    const { records } = await store.open();
    for (
      const [index, text] of ["E\u0000r\u0000r\u0000 5", "left\u0000right", "end\u0000", "\u0000"].entries()
    ) {
      const identity = { ...PREFERENCE, key: `k${index}` };
      await records.put(identity, factOf(text), CREATE);
      assert.equal((await records.get(identity, { now: 100 }))?.value.text, text);
    }
  });

  promise("Records.get() gives a fresh copy: changing it changes nothing stored", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, { schema: 1, step: 0, items: ["a"] }, CREATE);
    const first = await records.get(RUN, { now: 100 });
    (first!.value.items as string[]).push("b");
    assert.deepEqual((await records.get(RUN, { now: 100 }))?.value.items, ["a"]);
  });

  promise("Records.put() copies the value when it is called: later changes have no effect", async (store) => {
    const { records } = await store.open();
    const items = ["a"];
    const written = records.put(RUN, { schema: 1, step: 0, items }, CREATE);
    items.push("b");
    await written;
    assert.deepEqual((await records.get(RUN, { now: 100 }))?.value.items, ["a"]);
  });
}

function testKinds({ promise }: Suite): void {
  promise(
    "A kind is validated by its schema; a misfit names the kind and the code of the schema's issue",
    async (store) => {
      const { records } = await store.open({ kinds: [defineKind("size", wholeNumbers("width"))] });
      const identity = { tenantId: "orchard", kind: "size", key: "a" };
      await records.put(identity, { width: 3 }, { expectedRevision: null, ttl: 60 });
      assert.deepEqual((await records.get(identity))?.value, { width: 3 });
      await store.assertChangesNothing(
        () => records.put(identity, { width: "3" }, { expectedRevision: 1, ttl: 60 }),
        {
          code: "CONTRACT",
          field: "value.width",
          message: "Expected value.width to fit the kind size: invalid_type",
        },
      );
    },
  );

  promise(
    "A kind whose schema fills defaults, changes or drops what it validates is refused at put",
    async (store) => {
      const kinds = [
        defineKind("defaults", schemaOf((value) => ({ value: { a: 1, ...value as object } }))),
        defineKind("coerces", schemaOf((value) => ({ value: { a: String((value as { a: unknown }).a) } }))),
        defineKind("strips", schemaOf(() => ({ value: {} }))),
      ];
      const { records } = await store.open({ kinds });
      for (const [kind, value] of [["defaults", {}], ["coerces", { a: 1 }], ["strips", { a: 1 }]] as const) {
        const identity = { tenantId: "orchard", kind: kind as string, key: "a" };
        await store.assertChangesNothing(
          () => records.put(identity, value, { expectedRevision: null, ttl: 60 }),
          {
            code: "CONTRACT",
            field: "value",
          },
        );
      }
    },
  );

  promise("A kind whose schema is asynchronous or throws is refused at put", async (store) => {
    const kindOf = (name: string, validate: () => unknown): ReturnType<typeof defineKind> =>
      defineKind(name, { "~standard": { version: 1, vendor: "test", validate: validate as never } });
    const asynchronous = kindOf("asynchronous", () => Promise.resolve({ value: 1 }));
    const throwing = kindOf("throwing", () => {
      throw new Error("the schema broke");
    });
    const { records } = await store.open({ kinds: [asynchronous, throwing] });
    for (const kind of ["asynchronous", "throwing"]) {
      const identity = { tenantId: "orchard", kind, key: "a" };
      await store.assertChangesNothing(() => records.put(identity, 1, { expectedRevision: null, ttl: 60 }), {
        code: "CONTRACT",
        field: "value",
      });
    }
  });

  promise("A kind that was not handed to openMemory is refused by every call", async (store) => {
    const { records } = await store.open();
    const identity = { tenantId: "orchard", kind: "anything", key: "a" };
    const refusal = { code: "CONTRACT", field: "kind" };
    await store.assertChangesNothing(
      () => records.put(identity, 1, { expectedRevision: null, ttl: 60 }),
      refusal,
    );
    await store.assertChangesNothing(() => records.get(identity), refusal);
    await store.assertChangesNothing(() => records.forget(identity, 1), refusal);
    await store.assertChangesNothing(() => records.update(identity, () => 1, { ttl: 60 }), refusal);
    await store.assertChangesNothing(() => records.list("orchard", { kind: "anything" }), refusal);
  });
}
