import assert from "node:assert/strict";
import { JSON_DEPTH_MAX } from "../src/canonical/plain.ts";
import { LateModule, validateLate } from "../src/contracts/late_module.ts";

/** What a validate that has to be loaded first is handed. */
function captured<Given>(given: Given): Promise<Given> {
  return validateLate(new LateModule(() => Promise.resolve({})), [given], (_, [copy]) => copy);
}

Deno.test("what waits for its validate copies plain data, lists and dates at every depth", async () => {
  const given = {
    list: [{ name: "pear" }],
    at: new Date(7),
    bare: Object.assign(Object.create(null), { n: 1 }),
  };
  const copy = await captured(given);
  assert.deepEqual(copy, given);
  given.list[0]!.name = "changed";
  given.list.push({ name: "further" });
  given.at.setTime(9);
  given.bare.n = 2;
  assert.deepEqual(copy.list, [{ name: "pear" }]);
  assert.deepEqual([copy.at.getTime(), copy.bare.n], [7, 1]);
});

Deno.test("what waits for its validate keeps by reference what acts, what has a class, and proxies, which it does not touch", async () => {
  const counter = { name: "n", countText: () => 1 };
  const { signal } = new AbortController();
  const proxy = new Proxy({}, {
    get: () => assert.fail("a trap ran"),
    ownKeys: () => assert.fail("a trap ran"),
  });
  const odd = Object.create(Date.prototype);
  const copy = await captured({ counter, signal, proxy, odd });
  assert.ok(copy.counter === counter && copy.signal === signal && copy.proxy === proxy && copy.odd === odd);
});

Deno.test("what waits for its validate leaves to the validate what is not plain: getters do not run, symbols, holes and extra fields stay", async () => {
  const mark = Symbol("mark");
  const list = Object.assign([1, 2, 3], { extra: 1 });
  delete list[1];
  const given = {
    [mark]: 1,
    list,
    get trap(): never {
      return assert.fail("the getter ran");
    },
  };
  const copy = await captured(given);
  assert.deepEqual(Reflect.ownKeys(copy), Reflect.ownKeys(given));
  assert.deepEqual(Reflect.ownKeys(copy.list), ["0", "2", "length", "extra"]);
  assert.equal(typeof Object.getOwnPropertyDescriptor(copy, "trap")?.get, "function");
});

Deno.test("what waits for its validate ends on cycles, on what is shared, and on what is nested without end", async () => {
  const cycle: Record<string, unknown> = { name: "a" };
  cycle.self = cycle;
  const copy = await captured(cycle);
  assert.ok(copy !== cycle && copy.self === copy);
  let shared: unknown = {};
  for (let level = 0; level < 100; level++) shared = [shared, shared];
  const [left, right] = await captured(shared) as unknown[];
  assert.equal(left, right);
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  assert.ok(Array.isArray(await captured(deep)));
});

Deno.test("what waits for its validate is copied as deep as a value may be nested", async () => {
  const innermost = { step: 1 };
  let given: readonly unknown[] = [innermost];
  for (let levels = 2; levels < JSON_DEPTH_MAX; levels++) given = [given];
  let copy: unknown = await captured(given);
  while (Array.isArray(copy)) [copy] = copy;
  assert.deepEqual(copy, innermost);
  assert.notEqual(copy, innermost);
});
