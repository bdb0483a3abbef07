/** Erasing everything of a tenant, or of one person in it: sessions and records that are older than the event. */

import { equalBytes, toHex } from "../canonical/keyed_hash.ts";
import {
  type Operation,
  type ReadTransaction,
  type RecordedEvent,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import { SELECT_NEXT_TENANT } from "../tables/records.ts";
import { forgetTargets } from "./event_targets.ts";
import { tenantHash } from "./scope_hashes.ts";
import { raiseFloor } from "./tombstones.ts";

/** How much was erased, and the highest revision of the sessions among it. */
interface ErasedOwned {
  readonly counts: RecordedEvent["counts"];
  readonly floor: number;
}

const SUM_SCOPES_OF_TENANT = `SELECT count(*), coalesce(sum(turns), 0), coalesce(sum(pins), 0),
  coalesce(sum(journals), 0), coalesce(sum(operations), 0), coalesce(max(revision), 0)
  FROM scopes WHERE tenant = $1 AND born < $2`;
const DRAIN_SCOPES_OF_TENANT = `INSERT INTO draining_scopes (scope, scope_hash, event)
  SELECT id, scope_hash, $2 FROM scopes WHERE tenant = $1 AND born < $2`;
const DELETE_SCOPES_OF_TENANT = `DELETE FROM scopes WHERE tenant = $1 AND born < $2`;
const DELETE_RECORDS_OF_TENANT = `DELETE FROM records WHERE tenant = $1 AND born < $2`;

const SUM_SCOPES_OF_SUBJECT = `SELECT count(*), coalesce(sum(turns), 0), coalesce(sum(pins), 0),
  coalesce(sum(journals), 0), coalesce(sum(operations), 0), coalesce(max(revision), 0)
  FROM scopes WHERE subject = $1 AND born < $2`;
const DRAIN_SCOPES_OF_SUBJECT = `INSERT INTO draining_scopes (scope, scope_hash, event)
  SELECT id, scope_hash, $2 FROM scopes WHERE subject = $1 AND born < $2`;
const DELETE_SCOPES_OF_SUBJECT = `DELETE FROM scopes WHERE subject = $1 AND born < $2`;
const DELETE_RECORDS_OF_SUBJECT = `DELETE FROM records WHERE subject = $1 AND born < $2`;

/**
 * Takes away what a tenant has, or a person by the hash of the subject: records at once, sessions by their rows, so that no
 * call finds them any more. The contents of sessions are left to be drained.
 */
export function* eraseOwned(
  transaction: WriteTransaction,
  whose: string | Uint8Array,
  event: number,
): Operation<ErasedOwned> {
  const isTenant = typeof whose === "string";
  const [sums, , , records] = yield* together([
    transaction.get(isTenant ? SUM_SCOPES_OF_TENANT : SUM_SCOPES_OF_SUBJECT, whose, event),
    transaction.run(isTenant ? DRAIN_SCOPES_OF_TENANT : DRAIN_SCOPES_OF_SUBJECT, whose, event),
    transaction.run(isTenant ? DELETE_SCOPES_OF_TENANT : DELETE_SCOPES_OF_SUBJECT, whose, event),
    transaction.run(isTenant ? DELETE_RECORDS_OF_TENANT : DELETE_RECORDS_OF_SUBJECT, whose, event),
  ]);
  const [sessions, turns, pins, journals, operations, floor] = sums as unknown as SixNumbers;
  if (sessions > 0) transaction.markDirty("scopes");
  if (records > 0) transaction.markDirty("records");
  return { counts: { sessions, records, turns, pins, journals, operations }, floor };
}

type SixNumbers = readonly [number, number, number, number, number, number];

/** Keeps the sessions that a tenant creates from now on above the revisions of those that were erased. */
export function* raiseTenantFloor(
  transaction: WriteTransaction,
  tenant: Uint8Array,
  floor: number,
): Operation<void> {
  if (floor > 0) yield* raiseFloor(transaction, tenant, tenant, floor);
}

/** Erases what a recorded event names. What came after the event is not touched. */
export function* applyErase(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  const { scopeHash, sequence, floor } = event;
  const whose = yield* findOwner(transaction, event, hashKey);
  yield* raiseTenantFloor(transaction, scopeHash, floor);
  if (whose === null) return;
  yield* eraseOwned(transaction, whose, sequence);
  forgetTargets(transaction);
}

const COUNT_DRAINING = `SELECT count(*) FROM draining_scopes WHERE event = $1`;
const COUNT_SCOPES_OF_TENANT = `SELECT count(*) FROM scopes WHERE tenant = $1 AND born < $2`;
const COUNT_RECORDS_OF_TENANT = `SELECT count(*) FROM records WHERE tenant = $1 AND born < $2`;
const COUNT_SCOPES_OF_SUBJECT = `SELECT count(*) FROM scopes WHERE subject = $1 AND born < $2`;
const COUNT_RECORDS_OF_SUBJECT = `SELECT count(*) FROM records WHERE subject = $1 AND born < $2`;

/** How much is left of what an event names, by table. */
export function* countOwned(
  transaction: ReadTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<Readonly<Record<string, number>>> {
  const { sequence } = event;
  const whose = yield* findOwner(transaction, event, hashKey);
  const isTenant = typeof whose === "string";
  const [draining] = (yield* transaction.get(COUNT_DRAINING, sequence)) as readonly number[];
  if (whose === null) return { draining_scopes: draining! };
  const [scopes, records] = yield* together([
    transaction.get(isTenant ? COUNT_SCOPES_OF_TENANT : COUNT_SCOPES_OF_SUBJECT, whose, sequence),
    transaction.get(isTenant ? COUNT_RECORDS_OF_TENANT : COUNT_RECORDS_OF_SUBJECT, whose, sequence),
  ]);
  return { draining_scopes: draining!, scopes: scopes![0] as number, records: records![0] as number };
}

/** What an event erases: a tenant, or the hash of a person; null for a tenant that has neither sessions nor records. */
function* findOwner(
  transaction: ReadTransaction,
  { scopeHash, keyHash }: RecordedEvent,
  hashKey: Uint8Array,
): Operation<string | Uint8Array | null> {
  if (!equalBytes(scopeHash, keyHash)) return keyHash;
  return yield* findTenant(transaction, scopeHash, hashKey);
}

const SELECT_NEXT_TENANT_OF_SCOPES = `SELECT tenant FROM scopes WHERE tenant > $1 ORDER BY tenant LIMIT 1`;

/** The tenant with a hash; null if it has neither sessions nor records. */
function* findTenant(
  transaction: ReadTransaction,
  hash: Uint8Array,
  hashKey: Uint8Array,
): Operation<string | null> {
  const wanted = toHex(hash);
  for (const sql of [SELECT_NEXT_TENANT_OF_SCOPES, SELECT_NEXT_TENANT]) {
    for (let after = "";;) {
      const found = yield* transaction.get(sql, after);
      if (found === undefined) break;
      after = found[0] as string;
      if (toHex(tenantHash(hashKey, after)) === wanted) return after;
    }
  }
  return null;
}
