/** Erasure on bytes: after a complete scrub nothing of what was deleted is in any file. `HOLDFAST_LONG=1` churns more. */

import assert from "node:assert/strict";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { Churn, searchFiles } from "./churn.ts";
import { leaveBehind, type Leftovers } from "./leftovers.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEEDS = Array.from({ length: LONG ? 20 : 3 }, (_, index) => index + 1);

/** Marks of which there are both: what is found that must be gone. */
function traces(found: ReadonlySet<string>, gone: ReadonlySet<string>): readonly string[] {
  return [...found].filter((mark) => gone.has(mark));
}

/** Cut-off marks that begin no mark that is still there. */
function unexplained(fragments: readonly string[], live: ReadonlySet<string>): readonly string[] {
  return fragments.filter((fragment) => ![...live].some((mark) => mark.startsWith(fragment)));
}

for (const seed of SEEDS) {
  Deno.test(`After a thousand turns of churn a complete scrub leaves no trace of what was deleted, seed ${seed}`, async () => {
    await using directory = await TemporaryDirectory.make();
    const { memory, churn } = await Churn.run(directory.file("agent.db"), seed);
    try {
      const { live, gone } = churn.marks;
      assert(gone.size > 1_000, `${gone.size} marks are gone`);
      const before = searchFiles(directory.path);
      assert(traces(before.marks, gone).length > 500, "the search finds what was deleted before the scrub");
      const { scrub } = await memory.prune();
      assert.deepEqual([scrub?.complete, scrub?.by], [true, null]);
      const after = searchFiles(directory.path);
      assert.deepEqual(traces(after.marks, gone), []);
      assert.deepEqual(
        unexplained(after.fragments, live),
        [],
        "a mark that is cut off is one that is still there",
      );
      assert.equal(after.utf16, 0);
      assert.deepEqual(
        [...live].filter((mark) => !after.marks.has(mark)),
        [],
        "what was not deleted is still there",
      );
      for (const [scope, turns] of churn.left) {
        assert.equal((await memory.conversation(scope).snapshot()).turnCount, turns);
      }
      await assertIntact(memory);
    } finally {
      await memory.close();
    }
    const closed = searchFiles(directory.path);
    assert.deepEqual(traces(closed.marks, churn.marks.gone), []);
  });
}

/** The first of a few seeds that leaves copies behind: which ones do depends on how rows happen to share pages. */
async function firstWithCopies(): Promise<Leftovers> {
  let left: Leftovers = { open: 0, closed: 0 };
  for (let seed = 1; seed <= 20 && left.closed === 0; seed++) {
    await using directory = await TemporaryDirectory.make();
    const search = (): ReadonlySet<string> => searchFiles(directory.path).marks;
    left = await leaveBehind(directory.file("agent.db"), seed, search);
  }
  return left;
}

Deno.test("DEL-03 without a scrub deleted text stays in the logs until close, and copies of it may stay in the file", async () => {
  const { open, closed } = await firstWithCopies();
  assert(open > 50, `${open} deleted marks are found while the store is open`);
  assert(closed > 0 && closed < open / 5, `${closed} deleted marks are found after close`);
});

testThatNothingIsLeftOpen();
