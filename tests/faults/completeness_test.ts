/** The matrices cover what is in their lists. This finds public calls that are in none. */

import assert from "node:assert/strict";
import * as holdfast from "../../mod.ts";
import {
  PUBLIC_OPERATIONS,
  publicMethods,
  PURE,
  STRUCK_ELSEWHERE,
  WITHOUT_ROW,
} from "./public_operations.ts";

Deno.test("Every public method has a row in the matrices, or is listed here with a reason", () => {
  const struck = new Set(PUBLIC_OPERATIONS.map(({ calls }) => calls));
  const methods = publicMethods();
  assert(methods.length > 25, `${methods.length} methods`);
  const without = methods.filter((method) => !struck.has(method));
  assert.deepEqual(without.toSorted(), Object.keys(WITHOUT_ROW).toSorted());
  assert.deepEqual([...struck].filter((name) => !methods.includes(name)), [], "a row of no method");
});

Deno.test("Every public function is struck by a matrix, or touches no store", () => {
  const functions = Object.entries(holdfast)
    .filter(([, value]) => typeof value === "function" && !/^class\b/.test(String(value)))
    .map(([name]) => name);
  const known = [...Object.keys(STRUCK_ELSEWHERE), ...PURE];
  assert.deepEqual(functions.toSorted(), known.toSorted());
});

Deno.test("Every row has a name of its own", () => {
  const names = PUBLIC_OPERATIONS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
