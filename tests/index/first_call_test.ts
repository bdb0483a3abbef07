import assert from "node:assert/strict";
import { CALL_NAMES, givenBy } from "./first_call.ts";

for (const name of CALL_NAMES) {
  Deno.test(`${name}() takes its arguments as they are when it is called, as the first call of a process and later`, async () => {
    const [first, later, unchanged] = await givenBy(name);
    assert.deepEqual([first, later], [unchanged, unchanged]);
  });
}
