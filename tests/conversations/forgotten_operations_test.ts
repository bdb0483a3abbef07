/** A scope remembers so many operations; with the next one the oldest is forgotten, and no other. */

import assert from "node:assert/strict";
import { ConflictError, type Conversation, nodeSqlite } from "@holdfast/memory";
import { checksumOf } from "../../src/canonical/checksum.ts";
import type { SqlValue } from "../../src/engine/values.ts";
import { SCOPE_OPERATIONS_MAX } from "../../src/limits.ts";
import { memoryTarget } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import type { TestStore } from "../kit/test_store.ts";
import { clockAtNoon, NOON, ORCHARD } from "./samples.ts";

const IN_MEMORY = memoryTarget(":memory:", () => new TappedDriver(nodeSqlite));

const INSERT_OPERATIONS =
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
  INSERT INTO operations (scope_hash, operation_hash, input_hash, result, at, checksum)
  SELECT (SELECT scope_hash FROM scopes), randomblob(16), x'', 0, $2 + n, 0 FROM numbers`;

const SELECT_SCOPE =
  `SELECT id, scope_hash, tenant, session, revision, turns, turn_bytes, pins, journals, journal_bytes,
  media_bytes, operations, next_expiry, born, created, updated, recent, subject FROM scopes`;

/** Remembers so many operations behind the store's back, each a millisecond after the one before. */
function remember(store: TestStore, count: number, atMs: number): void {
  store.sql(INSERT_OPERATIONS, count, atMs);
  const row = [...store.sql(SELECT_SCOPE)[0]!];
  row[11] = row[11] as number + count;
  store.sql("UPDATE scopes SET operations = $1, checksum = $2", row[11] as SqlValue, checksumOf(...row));
}

/**
 * Appends under an operation id, and gives the scope's revision. One that is remembered changes nothing; one that was
 * forgotten runs again, and is refused, since its turn is there.
 */
async function append(conversation: Conversation, operationId: string): Promise<number | string> {
  try {
    await conversation.append([{ role: "user", content: operationId }], { operationId });
  } catch (error) {
    if (error instanceof ConflictError) return error.reason;
    throw error;
  }
  return await conversation.revision();
}

Deno.test(`With one operation more than ${SCOPE_OPERATIONS_MAX} a scope forgets its oldest`, async () => {
  await using store = await IN_MEMORY.make();
  store.damaged = true; // operations that were inserted behind its back
  const clock = clockAtNoon();
  const conversation = (await store.open({ clock: clock.now })).conversation(ORCHARD);
  assert.equal(await append(conversation, "oldest"), 1);
  clock.advance(1);
  assert.equal(await append(conversation, "second"), 2);
  remember(store, SCOPE_OPERATIONS_MAX - 3, (NOON + 1) * 1_000);
  clock.advance(SCOPE_OPERATIONS_MAX);
  assert.equal(await append(conversation, "last that fits"), 3);
  for (const id of ["oldest", "second", "last that fits"]) {
    assert.equal(await append(conversation, id), 3, id);
  }
  clock.advance(1);
  assert.equal(await append(conversation, "one more"), 4);
  for (const id of ["second", "last that fits", "one more"]) {
    assert.equal(await append(conversation, id), 4, id);
  }
  assert.equal(await append(conversation, "oldest"), "REVISION");
  assert.deepEqual(store.sql("SELECT count(*) FROM operations"), [[SCOPE_OPERATIONS_MAX]]);
  assert.deepEqual(store.sql("SELECT operations FROM scopes"), [[SCOPE_OPERATIONS_MAX]]);
});
