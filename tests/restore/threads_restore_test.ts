/**
 * Restores while Workers of this process and of another one open and close the store that is being replaced.
 * `HOLDFAST_LONG=1` restores more often.
 */

import assert from "node:assert/strict";
import { oldLibrary } from "../contention/old_library.ts";
import type { Reopened, Task } from "../contention/task.ts";
import { Crew } from "../contention/workers.ts";
import { nodeSqlite } from "../../mod.ts";
import { assertIntact } from "../kit/soundness.ts";
import { Thread } from "../kit/thread.ts";
import { SCOPE, Shelf, textsOf } from "./shelf.ts";

const ROUNDS = Deno.env.get("HOLDFAST_LONG") === "1" ? 60 : 3;
const OPENINGS = 30;
const BUSY_TIMEOUT_MS = 60_000;

const THREAD_MODULE = new URL("../contention/thread.ts", import.meta.url);

for (const [journal, old] of [["a write-ahead log", false], ["a rollback journal", true]] as const) {
  Deno.test(`LCK-01 with ${journal} each of ${ROUNDS} restores is live with all it had, and nothing deleted, while Workers open and close the old store`, async () => {
    await using shelf = await Shelf.make(old ? oldLibrary : nodeSqlite);
    using thread = new Thread<Task>(THREAD_MODULE);
    await using crew = await Crew.start({ processes: 1, threads: 2 });
    let [name, live] = ["agent.db", await shelf.open({ busyTimeoutMs: BUSY_TIMEOUT_MS })];
    const expected: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const talk = live.conversation(SCOPE);
      const kept = `kept in round ${round}`;
      await talk.append([{ role: "user", content: kept }]);
      const doomed = await talk.append([{ role: "user", content: `deleted in round ${round}` }]);
      await live.backup(shelf.at(`${round}.backup`));
      await talk.delete({ kind: "turn", key: doomed.turnId, expectedRevision: doomed.revision });
      expected.push(kept);
      const reopen: Task = {
        do: "reopen",
        path: shelf.at(name),
        deletionPath: shelf.at("agent.db.deletions"),
        times: OPENINGS,
        old,
      };
      const [restored, first, others] = await Promise.all([
        shelf.restore(`${round}.backup`, `restored-${round}.db`, await live.deletionWatermark(), {
          busyTimeoutMs: BUSY_TIMEOUT_MS,
        }),
        thread.perform<Reopened>(reopen),
        crew.perform<Reopened>(() => reopen),
      ]);
      const met = new Set([first, ...others].flatMap(({ errors }) => Object.keys(errors)));
      met.delete("REPLACED");
      assert.deepEqual([...met], [], `round ${round}`);
      await assert.rejects(live.deletionWatermark(), { code: "REPLACED" });
      await live.close();
      [name, live] = [`restored-${round}.db`, restored];
      assert.deepEqual(await textsOf(live), expected);
      await assertIntact(live);
    }
  });
}
