/** Whatever is handed in wrongly is told before any effect: the field is named, the value never. */

import assert from "node:assert/strict";
import { ContractError } from "../../errors.ts";
import type { Records } from "../../records/record_calls.ts";
import { forEachRow } from "../kit/each_row.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { ANYTHING, PREFERENCE, RUN, START } from "./record_samples.ts";

/** Stands in whatever is handed in, and must not come back in an error. */
const MARKER = "MARKED-SECRET";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };

/** Requires a `ContractError` for this field that says nothing of the value. */
async function assertRefused(field: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert(error instanceof ContractError, `not a ContractError: ${error}`);
    assert.equal(error.field, field);
    assert.equal(error.details.field, field);
    assert.equal(error.retryable, false);
    assert.equal(
      JSON.stringify([error.message, error.details, error.field]).includes(MARKER),
      false,
      error.message,
    );
    return true;
  });
}

function hidden(name: string): object {
  return Object.defineProperty({ tenantId: "orchard", kind: "fact", key: "a" }, name, {
    enumerable: true,
    get: () => MARKER.toLowerCase(),
  });
}

function throwing(): never {
  throw new Error(MARKER);
}

/** What stands for a narrow tenant or key, and is none. */
const BAD_NARROW: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["an empty text", ""],
  ["a number", 7],
  ["a bigint", 7n],
  ["a boolean", true],
  ["a list", ["orchard"]],
  ["an object", { toString: (): string => "orchard" }],
  ["a String object", new String("orchard")],
  ["a symbol", Symbol("orchard")],
  ["a capital letter", `Orchard${MARKER}`],
  ["a leading digit", "1orchard"],
  ["a leading dash", "-orchard"],
  ["an underscore", "or_chard"],
  ["a dot", "or.chard"],
  ["a slash", "or/chard"],
  ["a blank", " orchard"],
  ["a trailing newline", "orchard\n"],
  ["a newline inside", "or\nchard"],
  ["a NUL", "orchard\0"],
  ["33 characters", "a".repeat(33)],
  ["a letter beyond ASCII", "örchard"],
  ["a full-width letter", "ｏrchard"],
  ["a lone surrogate", "orchard\ud800"],
  ["a quote", "orchard'--"],
];

/** What stands for a text tenant or key, and is none. */
const BAD_TEXT: readonly (readonly [string, unknown])[] = [
  ["an empty text", ""],
  ["257 code points", MARKER + "🌍".repeat(257)],
  ["a NUL", `${MARKER}\0`],
  ["a newline", `${MARKER}\n`],
  ["a DEL", `${MARKER}\x7f`],
  ["a C1 control", `${MARKER}\x85`],
  ["a lone surrogate", `${MARKER}\ud800`],
  ["a number", 7],
];

/** What stands for an identity, and is none; with the field that is named. */
const BAD_IDENTITIES: readonly (readonly [string, unknown, string])[] = [
  ["nothing", undefined, "identity"],
  ["null", null, "identity"],
  ["a text", `orchard/fact/${MARKER}`, "identity"],
  ["a list", ["orchard", "fact", MARKER], "identity"],
  ["a function", throwing, "identity"],
  ["a further field", { ...PREFERENCE, [MARKER]: MARKER }, "identity"],
  ["a further symbol", { ...PREFERENCE, [Symbol(MARKER)]: 1 }, "identity"],
  [
    "__proto__ as a field",
    JSON.parse(`{"tenantId":"orchard","kind":"fact","key":"a","__proto__":"${MARKER}"}`),
    "identity",
  ],
  ["inherited fields", Object.create(PREFERENCE), "kind"],
  ["a getter", hidden("tenantId"), "identity.tenantId"],
  ["a getter for the key", hidden("key"), "identity.key"],
  ["a proxy that throws", new Proxy({}, { ownKeys: throwing }), "identity"],
  ["a revoked proxy", revokedProxy(), "identity"],
  ["an unknown kind", { ...PREFERENCE, kind: MARKER }, "kind"],
  ["a kind of __proto__", { ...PREFERENCE, kind: "__proto__" }, "kind"],
  ["a kind of constructor", { ...PREFERENCE, kind: "constructor" }, "kind"],
  ["a kind that is a list", { ...PREFERENCE, kind: ["fact"] }, "kind"],
];

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** What stands for options, and is none; with the field that is named. */
const BAD_OPTIONS: readonly (readonly [string, unknown, string])[] = [
  ["null", null, "options"],
  ["a text", MARKER, "options"],
  ["a number", 60, "options"],
  ["a list", [MARKER], "options"],
  ["a further field", { [MARKER]: MARKER }, "options"],
  ["a misspelt field", { tll: 60 }, "options"],
  ["a further symbol", { [Symbol(MARKER)]: 1 }, "options"],
  ["a getter", Object.defineProperty({}, "signal", { get: throwing }), "options.signal"],
  ["a proxy that throws", new Proxy({}, { ownKeys: throwing }), "options"],
];

/** Every call, with what it is handed in. */
type Call = (
  records: Records,
  given: { identity?: unknown; tenant?: unknown; options?: unknown },
) => Promise<unknown>;

const IDENTITY_CALLS: readonly (readonly [string, Call])[] = [
  [
    "put()",
    (records, { identity, options = CREATE }) =>
      records.put(identity as never, START as never, options as never),
  ],
  ["get()", (records, { identity, options = {} }) => records.get(identity as never, options as never)],
  [
    "forget()",
    (records, { identity, options = {} }) => records.forget(identity as never, 1, options as never),
  ],
  [
    "update()",
    (records, { identity, options = { ttl: 60 } }) =>
      records.update(identity as never, ((value: never) => value) as never, options as never),
  ],
];

const TENANT_CALLS: readonly (readonly [string, Call])[] = [
  ["list()", (records, { tenant, options = {} }) => records.list(tenant as never, options as never)],
  [
    "purge()",
    (records, { tenant, options = { now: 100 } }) => records.purge(tenant as never, options as never),
  ],
];

export function testHostileInput(suite: Suite): void {
  testIdentities(suite);
  testOptions(suite);
  testValues(suite);
}

function testIdentities({ promise }: Suite): void {
  promise("A narrow tenant or key of any other form is refused by every call", async (store) => {
    const { records } = await store.open();
    await store.assertUnchangedBy(() =>
      forEachRow(BAD_NARROW, async ([, name]) => {
        for (const [, call] of IDENTITY_CALLS) {
          await assertRefused("tenantId", () => call(records, { identity: { ...RUN, tenantId: name } }));
          await assertRefused("key", () => call(records, { identity: { ...RUN, key: name } }));
        }
        for (const [, call] of TENANT_CALLS) {
          await assertRefused("tenantId", () => call(records, { tenant: name }));
        }
      })
    );
  });

  promise("A text tenant or key of any other form is refused by every call", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const identity = { tenantId: "Ärger", kind: "anything", key: "a/b" };
    await store.assertUnchangedBy(() =>
      forEachRow(BAD_TEXT, async ([, name]) => {
        for (const [, call] of IDENTITY_CALLS) {
          await assertRefused(
            "tenantId",
            () => call(records, { identity: { ...identity, tenantId: name } }),
          );
          await assertRefused("key", () => call(records, { identity: { ...identity, key: name } }));
        }
        for (const [, call] of TENANT_CALLS) {
          await assertRefused("tenantId", () => call(records, { tenant: name }));
        }
      })
    );
  });

  promise("An identity of any other shape is refused by every call, naming the field", async (store) => {
    const { records } = await store.open();
    await store.assertUnchangedBy(() =>
      forEachRow(BAD_IDENTITIES, async ([, identity, field]) => {
        for (const [, call] of IDENTITY_CALLS) {
          await assertRefused(field, () => call(records, { identity }));
        }
      })
    );
  });
}

function testOptions({ promise }: Suite): void {
  promise("Options of any other shape are refused by every call, naming the field", async (store) => {
    const { records } = await store.open();
    await store.assertUnchangedBy(() =>
      forEachRow(BAD_OPTIONS, async ([, options, field]) => {
        for (const [, call] of IDENTITY_CALLS) {
          await assertRefused(field, () => call(records, { identity: RUN, options }));
        }
        for (const [, call] of TENANT_CALLS) {
          await assertRefused(field, () => call(records, { tenant: "orchard", options }));
        }
      })
    );
  });

  promise("Options left out where they are needed are refused", async (store) => {
    const { records } = await store.open();
    await assertRefused("options", () => records.put(RUN, START, undefined as never));
    await assertRefused("ttl", () => records.put(RUN, START, { expectedRevision: null } as never));
    await assertRefused("expectedRevision", () => records.put(RUN, START, { ttl: 60 } as never));
    await assertRefused("options", () => records.update(RUN, (value) => value, undefined as never));
    await assertRefused("expectedRevision", () => records.forget(RUN, undefined as never));
  });

  promise("Options that are undefined count as left out", async (store) => {
    const { records } = await store.open();
    const nothing = { now: undefined, operationId: undefined, maxAge: undefined, signal: undefined };
    assert.equal(await records.put(RUN, START, { expectedRevision: null, ttl: 60, ...nothing }), 1);
    assert.equal((await records.get(RUN, { now: undefined, signal: undefined }))?.revision, 1);
    assert.equal(
      (await records.list("orchard", { kind: undefined, after: undefined, limit: undefined })).items.length,
      1,
    );
    assert.equal(await records.forget(RUN, 1, { revoke: undefined, operationId: undefined }), true);
  });
}

function testValues({ promise }: Suite): void {
  promise("A value's own field names are content: a refusal names the parent instead", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const identity = { tenantId: "orchard", kind: "anything", key: "a" };
    await assertRefused("value", () => records.put(RUN, { ...START, [MARKER]: 1 } as never, CREATE));
    await assertRefused(
      "value",
      () => records.put(identity, { [MARKER]: { deep: NaN } }, { expectedRevision: null, ttl: null }),
    );
  });

  promise("A value's texts are content: no refusal repeats them", async (store) => {
    const { records } = await store.open();
    const long = MARKER.repeat(30);
    await assertRefused(
      "value.items[1]",
      () => records.put(RUN, { ...START, items: ["x", long] }, CREATE),
    );
    await assertRefused(
      "value.schema",
      () => records.put(RUN, { ...START, schema: MARKER as never }, CREATE),
    );
    await assertRefused(
      "value.step",
      () => records.put(RUN, { ...START, step: MARKER as never }, CREATE),
    );
    await assertRefused(
      "value.items",
      () => records.put(RUN, { ...START, items: MARKER as never }, CREATE),
    );
    await assertRefused("value", () => records.put(RUN, MARKER as never, CREATE));
  });

  promise(
    "DRV-10 one bad member of a batch of three fails before any statement; the other two are written",
    async (store) => {
      const { records } = await store.open();
      const [first, second, third] = await Promise.allSettled([
        records.put({ ...RUN, key: "a" }, START, CREATE),
        records.put({ ...RUN, key: "b" }, { ...START, step: undefined as never }, CREATE),
        records.put({ ...RUN, key: "c" }, START, CREATE),
      ]);
      assert.deepEqual([first.status, second.status, third.status], ["fulfilled", "rejected", "fulfilled"]);
      assert.deepEqual(await store.cells(RECORDS, "key", "revision"), [["a", 1], ["c", 2]]);
    },
  );

  promise(
    "Arguments are validated before the store is looked at: a closed one says CONTRACT too",
    async (store) => {
      const memory = await store.open();
      await memory.close();
      await assert.rejects(memory.records.put(RUN, { ...START, step: 3 }, CREATE), { code: "CONTRACT" });
    },
  );

  promise("A getter is never run, and a proxy cannot answer twice", async (store) => {
    const { records } = await store.open();
    let runs = 0;
    const getter = Object.defineProperty({ schema: 1, step: 0 }, "items", {
      enumerable: true,
      get: () => {
        runs++;
        return [];
      },
    });
    await assertRefused("value.items", () => records.put(RUN, getter as never, CREATE));
    await assertRefused("value", () => records.put(RUN, new Proxy({ ...START }, {}), CREATE));
    await assertRefused(
      "value.items",
      () => records.put(RUN, { ...START, items: new Proxy([], {}) }, CREATE),
    );
    assert.equal(runs, 0);
  });
}
