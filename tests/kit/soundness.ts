/** What must hold at the end of every test that opened a store. */

import assert from "node:assert/strict";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import type { Memory } from "../../src/memory.ts";

/** Requires that `check()` finds nothing damaged. */
export async function assertIntact(memory: Memory): Promise<void> {
  const { ok, problems } = await memory.check();
  const found = problems.map(({ database, table, row, problem }) =>
    `${database} ${table} ${row}: ${problem}`
  );
  assert.deepEqual(found, [], "check() found problems");
  assert.equal(ok, true);
}

/** Registers, as the last test of a file, that no store was left open by those before it. */
export function testThatNothingIsLeftOpen(): void {
  Deno.test("no store is left open", () => {
    assert.equal(countOpenFiles(), 0);
  });
}
