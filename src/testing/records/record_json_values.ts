/** What a record's value may be made of: plain JSON, and nothing that JSON would change without a word. */

import assert from "node:assert/strict";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import { ANYTHING } from "./record_samples.ts";

/** Values that JSON cannot hold, each inside a list, so that the place of the fault is told. */
const NOT_JSON: readonly (readonly [string, () => unknown])[] = [
  ["undefined", () => undefined],
  ["a function", () => () => 1],
  ["a symbol", () => Symbol("x")],
  ["a Map", () => new Map([[1, 2]])],
  ["a Set", () => new Set([1])],
  ["a Date", () => new Date(0)],
  ["a bigint", () => 5n],
  ["NaN", () => NaN],
  ["Infinity", () => Infinity],
  ["-0", () => -0],
  ["an object with toJSON", () => ({ toJSON: (): string => "x" })],
  ["a String object", () => new String("x")],
  ["bytes", () => new Uint8Array(2)],
  ["a class instance", () => new (class Point {})()],
  ["a sparse list", () => [, 1]],
  ["a list with a further field", () => Object.assign([1], { extra: 1 })],
  ["a getter", () => Object.defineProperty({}, "a", { enumerable: true, get: () => 1 })],
  ["a getter that throws", () => ({
    get a(): number {
      throw new Error("thrown by the getter");
    },
  })],
  ["a proxy", () => new Proxy({ a: 1 }, {})],
  ["a proxy that throws", () =>
    new Proxy({}, {
      ownKeys: () => {
        throw new Error("thrown by the proxy");
      },
    })],
  ["a symbol key", () => ({ [Symbol("x")]: 1 })],
  ["a hidden field", () => Object.defineProperty({}, "a", { value: 1, enumerable: false })],
  ["inherited fields", () => Object.create({ a: 1 })],
];

export function testJson({ promise }: Suite): void {
  const identity = { tenantId: "orchard", kind: "anything", key: "json" };
  const options = { expectedRevision: null, ttl: null };

  promise("JSN-06 Records.put() refuses whatever JSON cannot hold", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    await forEachRow(NOT_JSON, async ([, make]) => {
      await store.assertChangesNothing(() => records.put(identity, [make()] as never, options), {
        code: "CONTRACT",
        field: "value",
      });
    });
  });

  promise("JSN-06 Records.put() refuses a cycle", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const cycle: unknown[] = [];
    cycle.push(cycle);
    await store.assertChangesNothing(() => records.put(identity, cycle as never, options), {
      code: "CONTRACT",
      field: "value",
    });
  });

  promise("JSN-01 Records.put() refuses lone surrogates in values and in keys", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    await forEachRow(["\ud800", "\udead", "\ude00\ud83d", "ok\ud83d"], async (text) => {
      const refusal = { code: "CONTRACT", field: "value" };
      await store.assertChangesNothing(() => records.put(identity, text, options), refusal);
      await store.assertChangesNothing(() => records.put(identity, { [text]: 1 }, options), refusal);
    });
  });

  promise("JSN-07 Records keep __proto__, constructor and toString as data", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"toString":3,"a":1}');
    await records.put(identity, value, options);
    const found = (await records.get(identity))!.value as Record<string, unknown>;
    assert.deepEqual(Object.keys(found).sort(), ["__proto__", "a", "constructor", "toString"]);
    assert.equal(JSON.stringify(Object.getOwnPropertyDescriptor(found, "__proto__")?.value), '{"x":1}');
    assert.equal(Object.getPrototypeOf(found), Object.prototype);
    assert.equal(({} as { x?: number }).x, undefined);
    assert.equal(({} as { y?: number }).y, undefined);
  });

  for (const [what, open, close] of [["lists", "[", "]"], ["objects", '{"a":', "}"]] as const) {
    promise(`JSN-10 Records.put() takes ${what} 128 deep and refuses 129 and 20 000`, async (store) => {
      const { records } = await store.open({ kinds: [ANYTHING] });
      const nest = (depth: number): never => {
        let value: unknown = open === "[" ? [] : {};
        for (let level = 1; level < depth; level++) value = open === "[" ? [value] : { a: value };
        return value as never;
      };
      await records.put(identity, nest(128), options);
      const stored = JSON.stringify((await records.get(identity))?.value);
      assert.equal(stored.split(open).length + stored.split(close).length > 250, true);
      for (const depth of [129, 20_000]) {
        await store.assertChangesNothing(
          () => records.put(identity, nest(depth), { ...options, expectedRevision: 1 }),
          {
            code: "CONTRACT",
            field: "value",
          },
        );
      }
    });
  }
}
