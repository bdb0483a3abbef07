/** `prune` while another process reads or writes: it erases, and says that bytes may be left in the files. */

import assert from "node:assert/strict";
import { HurriedStopwatch } from "../kit/hurried_stopwatch.ts";
import { LockHolder } from "../kit/lock_holder.ts";
import { SkippedPauses } from "../kit/skipped_pauses.ts";
import { openBeside } from "../kit/test_store.ts";
import { holdfast } from "./collected.ts";
import { SCOPE, StoredFile } from "./stored.ts";

const HOUR_MS = 3_600_000;

/** A store in which a turn has expired. */
function withExpired(): Promise<StoredFile> {
  const thenMs = Date.now() - HOUR_MS;
  return StoredFile.make(async (memory) => {
    const expiresAt = new Date(thenMs + HOUR_MS / 2);
    await memory.conversation(SCOPE).append([{ role: "user", content: "Gone by now." }], { expiresAt });
  }, { clock: () => thenMs });
}

/** Runs `prune`, whose waits for a lock pass at once. */
async function pruneSoon(...words: readonly string[]): ReturnType<typeof holdfast> {
  using _stopwatch = new HurriedStopwatch();
  using _pauses = new SkippedPauses();
  return await holdfast("prune", ...words);
}

Deno.test("TST-09 prune while a reader holds the log exits with 1 and says that another process reads", async () => {
  await using store = await withExpired();
  {
    using reader = openBeside(store.path);
    reader.prepare("BEGIN").run([]);
    reader.prepare("SELECT count(*) FROM turns").get([]);
    const first = await pruneSoon(store.path);
    assert.deepEqual([first.code, first.errors], [1, ""]);
    assert.match(
      first.output,
      /^Erased what had expired: 1 turn\.\nNot scrubbed completely: another process reads\.\n$/,
    );
    const { code, output } = await pruneSoon(store.path, "--json");
    const { expired, scrub } = JSON.parse(output);
    assert.deepEqual([code, expired.turns, scrub.complete, scrub.by], [1, 0, false, "READERS"]);
    reader.prepare("ROLLBACK").run([]);
  }
  assert.equal((await holdfast("prune", store.path)).code, 0);
});

Deno.test("TST-09 prune while a writer holds the lock exits with 1 and says that another process writes", async () => {
  await using store = await StoredFile.make();
  await using holder = await LockHolder.hold(store.path);
  const { code, output, errors } = await pruneSoon(store.path);
  assert.deepEqual([code, errors], [1, ""]);
  assert.match(output, /\nNot scrubbed completely: another process writes\.\n$/);
  await holder.release();
  assert.equal((await holdfast("prune", store.path)).code, 0);
});
