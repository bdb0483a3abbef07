import assert from "node:assert/strict";
import { CALL_NAMES, resultsOf } from "./first_call.ts";

for (const name of CALL_NAMES) {
  Deno.test(`${name}() reads its arguments before it returns, as the first call of a process and later`, async () => {
    const [first, later, unchanged] = await resultsOf(name);
    assert.deepEqual([first, later], [unchanged, unchanged]);
  });
}
