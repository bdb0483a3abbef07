/**
 * Processes whose Workers open and close the store while others of them write: POSIX drops all locks that a process
 * holds on a file when any descriptor of it is closed there. `HOLDFAST_LONG=1` goes on for a minute.
 */

import assert from "node:assert/strict";
import { oldLibrary } from "./old_library.ts";
import { textsOf } from "./reopening.ts";
import { assertIntact, say, StoreDirectory } from "./shared_store.ts";
import type { Reopened, Task } from "./task.ts";
import { Worker } from "./workers.ts";

const LONG_MS = 60_000;
const FOR_MS = Deno.env.get("HOLDFAST_LONG") === "1" ? LONG_MS : 0;

/** What one round does: bounded by calls, so that its size does not depend on the machine. */
const TURNS = 60;
const OPENINGS = 60;

/** Two processes with a writer that keeps the store open and a thread that opens and closes it; one that writes alone. */
const PROCESSES = [
  { perOpening: TURNS, reopens: true },
  { perOpening: TURNS, reopens: true },
  { perOpening: 3, reopens: false },
] as const;

const JOURNALS = [["a write-ahead log", false], ["a rollback journal", true]] as const;

for (const [journal, old] of JOURNALS) {
  Deno.test(`LCK-01 with ${journal} no acknowledged turn is lost, and no error met, while Workers of two writing processes open and close the store`, async () => {
    using store = new StoreDirectory();
    const options = old ? { driver: oldLibrary } : {};
    await (await store.open(options)).close();
    const acknowledged = new Map<string, readonly string[]>();
    const errors: Reopened["errors"][] = [];
    {
      await using processes = await Worker.startAll(PROCESSES.length);
      await processes.perform((index) => ({
        do: "start threads",
        count: PROCESSES[index]!.reopens ? 2 : 1,
      }));
      const startedMs = performance.now();
      for (let round = 0; round === 0 || performance.now() - startedMs < FOR_MS; round++) {
        const common = { path: store.path, old } as const;
        const sessions = PROCESSES.map((_, index) => `writer-${index}-${round}`);
        const ended = await processes.perform<Reopened[]>((index) => {
          const { perOpening, reopens } = PROCESSES[index]!;
          const write: Task = {
            do: "write turns",
            session: sessions[index]!,
            count: TURNS,
            perOpening,
            ...common,
          };
          const reopen: Task = { do: "reopen", times: OPENINGS, ...common };
          return { do: "in threads", of: reopens ? [write, reopen] : [write] };
        });
        for (const [index, [written]] of ended.entries()) {
          acknowledged.set(sessions[index]!, written!.acknowledged);
        }
        errors.push(
          ...ended.flat().map((each) => each.errors).filter((each) => Object.keys(each).length > 0),
        );
      }
      await processes.perform(() => ({ do: "end threads" }));
    }
    say(`${[...acknowledged.values()].flat().length} turns acknowledged, errors ${JSON.stringify(errors)}`);
    await using memory = await store.open(options);
    const missing: string[] = [];
    for (const [session, contents] of acknowledged) {
      const found = await textsOf(memory, session);
      missing.push(...contents.filter((content) => !found.has(content)));
    }
    assert.deepEqual(missing, []);
    await assertIntact(memory);
    assert.deepEqual(errors, []);
  });
}
