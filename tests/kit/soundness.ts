/** What must hold at the end of every test that opened a store. */

import assert from "node:assert/strict";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";

export { assertIntact } from "../../src/testing/kit/store_under_test.ts";

/** Registers, as the last test of a file, that no store was left open by those before it. */
export function testThatNothingIsLeftOpen(): void {
  Deno.test("no store is left open", () => {
    assert.equal(countOpenFiles(), 0);
  });
}
