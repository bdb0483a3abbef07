/**
 * Erasure on bytes, while Workers of this process and of another one open and close the store all the time.
 * `HOLDFAST_LONG=1` churns more.
 */

import assert from "node:assert/strict";
import { oldLibrary } from "../contention/old_library.ts";
import type { Reopened, Task } from "../contention/task.ts";
import { Crew } from "../contention/workers.ts";
import { assertIntact } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { Thread } from "../kit/thread.ts";
import { Churn, searchFiles } from "./churn.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEEDS = Array.from({ length: LONG ? 10 : 1 }, (_, index) => index + 1);
const BUSY_TIMEOUT_MS = 60_000;

/** How often each Worker opens and closes the store while it is churned, and again while it is scrubbed. */
const OPENINGS = LONG ? 1_000 : 30;

const THREAD_MODULE = new URL("../contention/thread.ts", import.meta.url);

/** The marks in copies of the files, made by another process: reading them here would drop this process's locks. */
async function marksIn(directory: TemporaryDirectory): Promise<ReadonlySet<string>> {
  await using copy = await TemporaryDirectory.make();
  const { success } = new Deno.Command("cp", { args: ["-r", directory.path, copy.file("files")] })
    .outputSync();
  assert.equal(success, true);
  return searchFiles(copy.file("files")).marks;
}

for (const [journal, old] of [["a write-ahead log", false], ["a rollback journal", true]] as const) {
  for (const seed of SEEDS) {
    Deno.test({
      name:
        `LCK-01 with ${journal} a complete scrub leaves no trace while Workers open and close the store, seed ${seed}`,
      ignore: Deno.build.os === "windows",
      async fn(): Promise<void> {
        await using directory = await TemporaryDirectory.make();
        const path = directory.file("agent.db");
        const options = { busyTimeoutMs: BUSY_TIMEOUT_MS, ...(old ? { driver: oldLibrary } : {}) };
        const reopen: Task = { do: "reopen", path, times: OPENINGS, old };
        using thread = new Thread<Task>(THREAD_MODULE);
        await using crew = await Crew.start({ processes: 1, threads: 2 });
        const reopenAll = async (): Promise<Reopened["errors"][]> => {
          const [first, others] = await Promise.all([
            thread.perform<Reopened>(reopen),
            crew.perform<Reopened>(() => reopen),
          ]);
          return [first, ...others].map(({ errors }) => errors);
        };
        const [{ memory, churn }, met] = await Promise.all([Churn.run(path, seed, options), reopenAll()]);
        try {
          const { live, gone } = churn.marks;
          const [{ scrub }, metThen] = await Promise.all([memory.prune(), reopenAll()]);
          assert.deepEqual([scrub?.complete, scrub?.by], [true, null]);
          const found = await marksIn(directory);
          assert.deepEqual([...found].filter((mark) => gone.has(mark)), []);
          assert.deepEqual([...live].filter((mark) => !found.has(mark)), []);
          for (const [scope, turns] of churn.left) {
            assert.equal((await memory.conversation(scope).snapshot()).turnCount, turns);
          }
          assert.deepEqual([...met, ...metThen].filter((errors) => Object.keys(errors).length > 0), []);
          await assertIntact(memory);
        } finally {
          await memory.close();
        }
        const closed = await marksIn(directory);
        assert.deepEqual([...closed].filter((mark) => churn.marks.gone.has(mark)), []);
      },
    });
  }
}
