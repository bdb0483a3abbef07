/** Waiting for a lock: tries again after a pause, and gives up at the deadline. */

import assert from "node:assert/strict";
import { monotonicMs } from "../../src/clock.ts";
import { retryWhileBusy } from "../../src/engines/sqlite/database/retry_while_busy.ts";
import { StorageError } from "../../mod.ts";
import { BUSY_SLEEP_MS } from "../../src/limits.ts";

Deno.test("retryWhileBusy() pauses between its tries, so that few are made until the deadline", async () => {
  let tries = 0;
  const waitMs = 200 * BUSY_SLEEP_MS.min;
  const call = retryWhileBusy(monotonicMs() + waitMs, () => {
    tries++;
    throw new StorageError("BUSY", "Locked");
  });
  await assert.rejects(call, { code: "BUSY" });
  assert(tries > 1 && tries <= 202, `${tries} tries`);
});

Deno.test("retryWhileBusy() returns what a later try returns, and throws any other error at once", async () => {
  let tries = 0;
  const locked = (): string => {
    if (++tries < 3) throw new StorageError("BUSY", "Locked");
    return "done";
  };
  assert.equal(await retryWhileBusy(Infinity, locked), "done");
  const full = new StorageError("FULL", "No space");
  await assert.rejects(
    retryWhileBusy(Infinity, () => {
      throw full;
    }),
    full,
  );
});
