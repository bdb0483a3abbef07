/**
 * Takes what is damaged out of the conversations of a copy, and what cites it, so that the copy is whole. What can be
 * told from the rest is put right instead: totals, message ids, the names of a scope. The revision of a turn or pin that
 * is left out becomes a floor, so that it is never given again.
 */

import { equalBytes } from "../canonical/keyed_hash.ts";
import type { Scope } from "../contracts/scope.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { unpackPin, unpackSummary, unpackTurn } from "../contracts/stored/unpack.ts";
import {
  type Change,
  erasePin,
  eraseScope,
  eraseSummary,
  eraseTurn,
  nothingErased,
} from "../deletion/cascade.ts";
import { itemHashOf, scopeHashOf } from "../deletion/scope_hashes.ts";
import { DELETE_DESCRIPTION, SELECT_DESCRIPTION, toDescription } from "../tables/descriptions.ts";
import { damagedRow, readScopeUnchecked, type ScopeRow, setSubject, writeScope } from "../tables/scopes.ts";
import { raiseFloor } from "../deletion/tombstones.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { CHECK_ROWS_PER_BATCH, IMPORTED_REVISIONS_MAX } from "../limits.ts";
import { mendMediaOfTurn, mendPieces, type SeenMedia } from "../media/mend_media.ts";
import { requirePin, SELECT_PINS, toPinFields } from "../tables/pins.ts";
import { requireSummary, SELECT_COVERED_TURN_IDS, SELECT_SUMMARY } from "../tables/summaries.ts";
import {
  DELETE_MESSAGE_IDS,
  SELECT_TURNS_AFTER,
  toStoredTurn,
  toTurnFields,
  toTurnHead,
} from "../tables/turns.ts";

/** What mending goes by. */
export interface Mending {
  readonly hashKey: Uint8Array;
  /** What was left out is noted here. */
  readonly damage: Damage;
}

const SELECT_NEXT_SCOPE = `SELECT id, scope_hash FROM scopes WHERE id > $1 ORDER BY id LIMIT 1`;

/** Mends the next scope; returns its row id, or null after the last. */
export function* mendNextScope(
  transaction: WriteTransaction,
  after: number,
  mending: Mending,
): Operation<number | null> {
  const found = yield* transaction.get(SELECT_NEXT_SCOPE, after);
  if (found === undefined) return null;
  const { row, isIntact } = (yield* readScopeUnchecked(transaction, found[1] as Uint8Array))!;
  const change = { transaction, row, hashKey: mending.hashKey, erased: nothingErased() };
  const scope = yield* nameOf(change);
  if (scope === null) {
    mending.damage.note(damagedRow("A scope cannot be told any more", "scopes", row));
    yield* eraseScope(change);
  } else {
    yield* mendScope({ ...change, row: yield* renamed(change, scope) }, isIntact, mending);
  }
  return found[0] as number;
}

/** Whose row it is: as it says itself, or as its first intact turn does; null where neither can be told. */
function* nameOf(change: Change): Operation<Scope | null> {
  const { transaction, row, hashKey } = change;
  const own = scopeOf(row);
  if (equalBytes(scopeHashOf(hashKey, own), row.scopeHash)) return own;
  for (const found of yield* transaction.all(SELECT_TURNS_AFTER, row.id, 0, CHECK_ROWS_PER_BATCH)) {
    const scope = parsedTurn(toTurnFields(found).payload)?.scope;
    if (scope === undefined || !isHead(row, found)) continue;
    const isHash = equalBytes(scopeHashOf(hashKey, scope), row.scopeHash);
    if (isHash || (scope.tenantId === own.tenantId && scope.sessionId === own.sessionId)) return scope;
  }
  return null;
}

const UPDATE_NAMES = `UPDATE scopes SET scope_hash = $1, tenant = $2, session = $3 WHERE id = $4`;

function* renamed({ transaction, row, hashKey }: Change, scope: Scope): Operation<ScopeRow> {
  const named = {
    ...row,
    scopeHash: scopeHashOf(hashKey, scope),
    tenant: scope.tenantId,
    session: scope.sessionId,
  };
  const isSame = named.tenant === row.tenant && named.session === row.session &&
    equalBytes(named.scopeHash, row.scopeHash);
  if (!isSame) {
    yield* transaction.run(UPDATE_NAMES, named.scopeHash, named.tenant, named.session, row.id);
  }
  return named;
}

function* mendScope(change: Change, isIntact: boolean, mending: Mending): Operation<void> {
  const { transaction, row } = change;
  const pins = yield* transaction.all(SELECT_PINS, row.id);
  const summary = yield* transaction.get(SELECT_SUMMARY, row.id);
  yield* mendTurns(change, mending);
  yield* mendPins(change);
  yield* mendSummary(change);
  yield* mendDescription(change, mending);
  const left = new Set((yield* transaction.all(SELECT_PINS, row.id)).map((pin) => toPinFields(pin).key));
  for (const { key } of pins.map(toPinFields)) {
    if (!left.has(key)) mending.damage.note(damagedRow("A pin is left out", "pins", row, { key }));
  }
  if (summary !== undefined && (yield* transaction.get(SELECT_SUMMARY, row.id)) === undefined) {
    mending.damage.note(damagedRow("A summary is left out", "summaries", row));
  }
  yield* mendTotals(change, isIntact);
}

function* mendTurns(change: Change, { damage }: Mending): Operation<void> {
  const { transaction, row } = change;
  const seen: SeenMedia = new Map();
  for (let after: number | null = 0; after !== null;) {
    const rows: readonly Row[] = yield* transaction.all(
      SELECT_TURNS_AFTER,
      row.id,
      after,
      CHECK_ROWS_PER_BATCH,
    );
    for (const found of rows) {
      const stored = damage.read(() => toStoredTurn(row, found));
      if (stored !== undefined && (yield* mendMediaOfTurn(transaction, row, stored, seen))) {
        yield* mendMessageIds(change, stored.id, stored.turn);
        continue;
      }
      if (stored !== undefined) {
        const { turnId } = stored;
        damage.note(
          damagedRow("The media of a turn is left out, and the turn", "media_pieces", row, { turnId }),
        );
      }
      yield* leaveOutTurn(change, found);
    }
    after = rows.length < CHECK_ROWS_PER_BATCH ? null : rows.at(-1)![0] as number;
  }
  yield* mendPieces(transaction, row);
}

/** Where its row cannot be relied on, what its payload says counts as well. */
function* leaveOutTurn(change: Change, found: Row): Operation<void> {
  const { id, turnId, revision, payload } = toTurnFields(found);
  yield* raise(change, "turn", turnId, revision);
  const turn = isHead(change.row, found) ? null : parsedTurn(payload);
  if (turn !== null) yield* raise(change, "turn", turn.turnId, turn.revision, turn.scope);
  yield* eraseTurn(change, { id, bytes: 0 });
}

function isHead(scope: ScopeRow, found: Row): boolean {
  try {
    toTurnHead(scope, found);
    return true;
  } catch {
    return false;
  }
}

/** The turn of a payload, whatever its checksum says; null where it is none. */
export function parsedTurn(payload: unknown): TimedTurn | null {
  try {
    return unpackTurn(payload);
  } catch {
    return null;
  }
}

/** Keeps a revision from being given again; of one that no revision can be, no less than that of the whole scope. */
function* raise(
  { transaction, row, hashKey }: Change,
  kind: "turn" | "pin",
  key: unknown,
  revision: unknown,
  scope: Scope = scopeOf(row),
): Operation<void> {
  if (typeof key !== "string") return;
  const isRevision = typeof revision === "number" && Number.isSafeInteger(revision) && revision > 0;
  const keyHash = itemHashOf(hashKey, kind, scope, key);
  yield* raiseFloor(transaction, scopeHashOf(hashKey, scope), keyHash, isRevision ? revision : row.revision);
}

const SELECT_MESSAGE_IDS = `SELECT message_id FROM message_ids WHERE turn = $1`;
const INSERT_MESSAGE_ID = `INSERT INTO message_ids (scope, message_id, turn) VALUES ($1, $2, $3)
  ON CONFLICT (scope, message_id) DO UPDATE SET turn = excluded.turn`;

function* mendMessageIds({ transaction, row }: Change, id: number, turn: TimedTurn): Operation<void> {
  const noted = (yield* transaction.all(SELECT_MESSAGE_IDS, id)).map(([messageId]) => messageId as string);
  const own = turn.messages.map(({ messageId }) => messageId);
  if (own.length === noted.length && own.every((messageId) => noted.includes(messageId))) return;
  yield* transaction.run(DELETE_MESSAGE_IDS, id);
  for (const messageId of own) yield* transaction.run(INSERT_MESSAGE_ID, row.id, messageId, id);
}

const SELECT_SOURCE = `SELECT 1 FROM turns WHERE id = $1 AND scope = $2`;

/** Leaves out pins that are damaged, and those that cite a turn which is not there. */
function* mendPins(change: Change): Operation<void> {
  const { transaction, row } = change;
  for (const found of yield* transaction.all(SELECT_PINS, row.id)) {
    const { key, revision, sourceTurn, payload } = toPinFields(found);
    const isIntact = isPin(row, found);
    if (isIntact && sourceTurn === null) continue;
    if (isIntact && (yield* transaction.get(SELECT_SOURCE, sourceTurn, row.id)) !== undefined) continue;
    yield* raise(change, "pin", key, revision);
    const written = isIntact ? null : writtenIn(payload);
    if (written !== null) yield* raise(change, "pin", written.key, written.revision);
    yield* erasePin(change, key);
  }
}

function isPin(row: ScopeRow, found: Row): boolean {
  try {
    const pin = requirePin(row, found);
    const { key, revision } = unpackPin(pin.payload);
    return key === pin.key && revision === pin.revision;
  } catch {
    return false;
  }
}

function writtenIn(payload: unknown): { readonly key: string; readonly revision: number } | null {
  try {
    return unpackPin(payload);
  } catch {
    return null;
  }
}

/** Leaves out a summary that is damaged, or not of the turns that are noted. */
function* mendSummary(change: Change): Operation<void> {
  const { transaction, row } = change;
  const found = yield* transaction.get(SELECT_SUMMARY, row.id);
  const covered = (yield* transaction.all(SELECT_COVERED_TURN_IDS, row.id)).map(([turnId]) => turnId);
  if (found === undefined ? covered.length > 0 : !isSummaryOf(row, found, covered)) {
    yield* eraseSummary(change);
  }
}

function isSummaryOf(row: ScopeRow, found: Row, covered: readonly unknown[]): boolean {
  try {
    const { coveredTurnIds } = unpackSummary(requireSummary(row, found).payload);
    return coveredTurnIds.length === covered.length &&
      coveredTurnIds.every((turnId, index) => turnId === covered[index]);
  } catch {
    return false;
  }
}

/** Leaves out what is said of a session where that is damaged. */
function* mendDescription({ transaction, row }: Change, { damage }: Mending): Operation<void> {
  const found = yield* transaction.get(SELECT_DESCRIPTION, row.id);
  if (damage.read(() => toDescription(row, found)) !== undefined) return;
  yield* transaction.run(DELETE_DESCRIPTION, row.id);
  transaction.markDirty("descriptions");
}

const COUNT_ROWS = `SELECT (SELECT count(*) FROM turns WHERE scope = $1),
  (SELECT coalesce(sum(bytes), 0) FROM turns WHERE scope = $1),
  (SELECT count(*) FROM pins WHERE scope = $1), (SELECT count(*) FROM operations WHERE scope_hash = $2),
  (SELECT count(*) FROM journals WHERE scope = $1),
  (SELECT coalesce(sum(bytes), 0) FROM journals WHERE scope = $1),
  (SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT hash, bytes FROM media_refs WHERE scope = $1) AS media)`;

/** The minimum over all that has a deadline. */
const SELECT_NEXT_EXPIRY = `SELECT min(expires) FROM (SELECT expires FROM turns WHERE scope = $1
  UNION ALL SELECT expires FROM pins WHERE scope = $1 UNION ALL SELECT expires FROM summaries WHERE scope = $1)`;

/** Writes the totals as counted; a damaged row says neither when something expires nor its revision. */
function* mendTotals({ transaction, row }: Change, isIntact: boolean): Operation<void> {
  const counts = (yield* transaction.get(COUNT_ROWS, row.id, row.scopeHash))! as readonly number[];
  const [turns, turnBytes, pins, operations, journals, journalBytes, mediaBytes] = counts;
  Object.assign(row, { turns, turnBytes, pins, operations, journals, journalBytes, mediaBytes });
  if (!isIntact) {
    row.nextExpiry = (yield* transaction.get(SELECT_NEXT_EXPIRY, row.id))![0] as number | null;
    // A restore moves it to a new range, above all that were ever issued.
    if (!Number.isSafeInteger(row.revision) || row.revision < 0) row.revision = 0;
    row.revision %= IMPORTED_REVISIONS_MAX;
    // Any later erasure covers it: rather too much is erased than too little.
    yield* setSubject(transaction, row, row.subject instanceof Uint8Array ? row.subject : null, 0);
  }
  yield* writeScope(transaction, row);
}

function scopeOf({ tenant, session }: ScopeRow): Scope {
  return { tenantId: tenant, sessionId: session };
}
