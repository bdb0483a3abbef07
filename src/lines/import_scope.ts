/** Importing what belongs to one scope: written only where nothing is, with its own revisions and times. */

import { instantFromMs, instantOf } from "../canonical/time.ts";
import { matches } from "../contracts/summary.ts";
import { ensureScope } from "../scopes/ensure_scope.ts";
import type { Place } from "../scopes/place.ts";
import { changeOf, requireUpkept } from "../scopes/present_scope.ts";
import { proveSource, requirePinCapacity, writePin } from "../conversations/put_pin.ts";
import { readCovered, writeSummary } from "../conversations/put_summary.ts";
import { requireCapacity, type ScopeLimits, takenMessageId, writeTurn } from "../conversations/put_turn.ts";
import { requirePin, SELECT_PIN } from "../tables/pins.ts";
import { requireSummary, SELECT_SUMMARY } from "../tables/summaries.ts";
import { requirePayload, SELECT_TURN, toTurnFields, toTurnHead } from "../tables/turns.ts";
import { changedScope } from "../deletion/cascade.ts";
import { deletedMessages } from "../deletion/deleted_messages.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { noteExpiry, readScope, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { importEach, isPast, type Outcome, type Outcomes } from "./import_records.ts";
import type { ImportedPin, ImportedSummary, ImportedTurn, ScopeItem } from "./parse_line.ts";
import { isItemRefused, type Origin } from "./tombstone_pass.ts";

/** The scope that is imported into. */
interface ScopeTarget {
  readonly place: Place;
  readonly limits: ScopeLimits;
  readonly generation: number;
  readonly origin: Origin;
}

/** Imports items of one scope. */
export function* importItems(
  transaction: WriteTransaction,
  items: readonly ScopeItem[],
  target: ScopeTarget,
): Operation<Outcomes> {
  const { place, generation } = target;
  const found = yield* readScope(transaction, place.scopeHash);
  if (found === null && (yield* isReserved(transaction, place.scopeHash))) {
    return { outcomes: items.map(() => "refused" as const), failure: null };
  }
  const row = found ?? (yield* ensureScope(transaction, place, generation));
  requireUpkept(transaction, row);
  const { revision } = row;
  const inHand = { transaction, row, target };
  const scopeOutcome = found === null ? "imported" : "unchanged";
  const result = yield* importEach(items, (item) => importItem(inHand, item, scopeOutcome));
  if (row.revision !== revision) yield* writeScope(transaction, row);
  return result;
}

/** The scope in hand; its row is changed in place. */
interface InHand {
  readonly transaction: WriteTransaction;
  readonly row: ScopeRow;
  readonly target: ScopeTarget;
}

function* importItem(inHand: InHand, item: ScopeItem, scopeOutcome: Outcome): Operation<Outcome> {
  if (item.type === "scope") return scopeOutcome;
  if (item.type === "turn") return yield* importTurn(inHand, item);
  return yield* (item.type === "pin" ? importPin(inHand, item) : importSummary(inHand, item));
}

function* importTurn({ transaction, row, target }: InHand, item: ImportedTurn): Operation<Outcome> {
  const { place, limits, origin } = target;
  const { turn: { turnId, revision, messages }, expiry, payload, bytes } = item;
  if (isPast(transaction, expiry?.dueMs ?? null)) return "expired";
  const old = yield* transaction.get(SELECT_TURN, row.id, turnId);
  if (old !== undefined) {
    const head = toTurnHead(row, old);
    const stored = requirePayload(row, head, toTurnFields(old).payload);
    return stored === payload && head.expiresAt === (expiry?.text ?? null) ? "unchanged" : "conflicting";
  }
  const hashes = {
    scopeHash: place.scopeHash,
    keyHash: itemHashOf(place.hashKey, "turn", place.scope, turnId),
  };
  if (yield* isItemRefused(transaction, hashes, revision, origin)) return "refused";
  if ((yield* deletedMessages(transaction, place, { turnId, messages })).length > 0) return "refused";
  if ((yield* takenMessageId(transaction, row, messages, null)) !== null) return "conflicting";
  requireCapacity(row, { bytes, limits }, null);
  yield* writeTurn(transaction, row, { place, turnId, revision, messages, payload, bytes, expiry }, null);
  return "imported";
}

function* importPin({ transaction, row, target }: InHand, item: ImportedPin): Operation<Outcome> {
  const { place, origin } = target;
  const { pin: { source }, written } = item;
  const { key, revision, expiry, payload } = written;
  if (isPast(transaction, expiry?.dueMs ?? null)) return "expired";
  const old = yield* transaction.get(SELECT_PIN, row.id, key);
  if (old !== undefined) return requirePin(row, old).payload === payload ? "unchanged" : "conflicting";
  const hashes = { scopeHash: place.scopeHash, keyHash: itemHashOf(place.hashKey, "pin", place.scope, key) };
  if (yield* isItemRefused(transaction, hashes, revision, origin)) return "refused";
  const sourceTurn = source === undefined ? null : yield* findSource({ transaction, row, target }, source);
  if (source !== undefined && sourceTurn === null) return "refused";
  requirePinCapacity(row);
  yield* writePin(transaction, row, written, sourceTurn);
  row.pins++;
  noteExpiry(row, expiry?.dueMs ?? null);
  yield* changedScope(changeOf(transaction, place, row));
  return "imported";
}

/** The row of the turn that a pin cites; null if the text is not there, exactly. */
function* findSource(
  { transaction, row }: InHand,
  source: NonNullable<ImportedPin["pin"]["source"]>,
): Operation<number | null> {
  try {
    return yield* proveSource(transaction, row, source);
  } catch (error) {
    const isAbsent = error instanceof ConflictError && error.reason === "MISSING";
    if (isAbsent || error instanceof ContractError) return null;
    throw error;
  }
}

function* importSummary({ transaction, row, target }: InHand, item: ImportedSummary): Operation<Outcome> {
  const { place } = target;
  const { summary, written } = item;
  const { createdMs, expiresMs, payload } = written;
  if (isPast(transaction, expiresMs)) return "expired";
  const old = yield* transaction.get(SELECT_SUMMARY, row.id);
  if (old !== undefined) return requireSummary(row, old).payload === payload ? "unchanged" : "conflicting";
  const covered = yield* readCovered(transaction, row, summary);
  const turns = covered.map(({ turn }) => turn);
  // A summary from a store whose clock is ahead counts once this store's clock is there too.
  const atMs = Math.max(transaction.time().effectiveMs, createdMs);
  const at = atMs === createdMs ? instantOf(summary.createdAt) : instantFromMs(atMs);
  if (!matches(summary, turns, place.scope, at)) return "refused";
  yield* writeSummary(transaction, row, written, covered);
  yield* changedScope(changeOf(transaction, place, row));
  return "imported";
}
