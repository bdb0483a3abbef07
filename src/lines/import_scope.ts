/** Imports items of one scope that do not exist here, with their own revisions and times. */

import { instantFromMs, instantOf } from "../canonical/time.ts";
import { matches } from "../contracts/summary.ts";
import { createScope } from "../scopes/ensure_scope.ts";
import type { Place } from "../scopes/place.ts";
import { changeOf, requireUpkept } from "../scopes/present_scope.ts";
import { proveSource, requirePinCapacity, toPinRow, writePin } from "../conversations/put_pin.ts";
import { readCovered, writeSummary } from "../conversations/put_summary.ts";
import { messageOwners, requireCapacity, type ScopeLimits, writeTurn } from "../conversations/put_turn.ts";
import { isSamePin, requirePin, SELECT_PIN } from "../tables/pins.ts";
import { requireSummary, SELECT_SUMMARY } from "../tables/summaries.ts";
import { requirePayload, SELECT_TURN, toTurnFields, toTurnHead } from "../tables/turns.ts";
import { changedScope } from "../deletion/cascade.ts";
import { deletedMessages } from "../deletion/deleted_messages.ts";
import { itemHashOf, tenantHash } from "../deletion/scope_hashes.ts";
import { isSameSubject } from "../tables/subjects.ts";
import {
  isSameDescription,
  NO_DESCRIPTION,
  readDescription,
  writeDescription,
} from "../tables/descriptions.ts";
import { NOTHING_SKIPPED } from "../engine/damage.ts";
import { importTimes, noteExpiry, readScope, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { requireMediaBytes } from "../media/given_media.ts";
import { findMedia } from "../media/turn_media.ts";
import { type ImportedEntry, importEntry, importJournal } from "./import_journal.ts";
import { importEach, isPast, type Outcome, type Outcomes } from "./import_records.ts";
import type { ImportedPin, ImportedScope, ImportedSummary, ImportedTurn, ScopeItem } from "./parse_line.ts";
import { isItemRefused, type Origin, ownershipOf, subjectOf } from "./tombstone_pass.ts";

/** The scope to import into. */
interface ScopeTarget {
  readonly place: Place;
  /** The line of the scope. */
  readonly line: ImportedScope;
  readonly limits: ScopeLimits;
  readonly generation: number;
  readonly origin: Origin;
  /** The part of a journal of which an entry differed from the one here; null if there is none such. */
  readonly differing: string | null;
}

/** Imports items of one scope. */
export function* importItems(
  transaction: WriteTransaction,
  items: readonly ScopeItem[],
  target: ScopeTarget,
): Operation<Outcomes> {
  const { place, generation, origin, line } = target;
  const owned = ownedPlaceOf(target);
  const [found, owner] = yield* together([
    readScope(transaction, place.scopeHash),
    ownershipOf(transaction, owned, origin),
  ]);
  if (owner.isErased || (found === null && (yield* isReserved(transaction, place.scopeHash)))) {
    return { outcomes: items.map(() => "refused" as const), failure: null };
  }
  const row = found ?? (yield* createScope(transaction, place, generation, owner.subject));
  if (found === null) {
    yield* describeImported(transaction, row, line, isSameSubject(owner.subject, owned.subject));
  }
  requireUpkept(transaction, row);
  const { revision } = row;
  const current = { transaction, row, target, differing: target.differing };
  const result = yield* importEach(items, (item) => importItem(current, item, found === null));
  if (row.revision !== revision) yield* writeScope(transaction, row);
  return result;
}

function ownedPlaceOf({ place: { hashKey, scope, scopeHash }, line, origin }: ScopeTarget): {
  readonly tenantHash: Uint8Array;
  readonly keyHash: Uint8Array;
  readonly subject: Uint8Array | null;
} {
  return {
    tenantHash: tenantHash(hashKey, scope.tenantId),
    keyHash: scopeHash,
    subject: subjectOf(hashKey, scope.tenantId, line, origin),
  };
}

/** Writes what a line says of a scope that was just created. A person who is known by hash alone has no name. */
function* describeImported(
  transaction: WriteTransaction,
  row: ScopeRow,
  { created, updated, recent, title, metadata, subject }: ImportedScope,
  isOfSubject: boolean,
): Operation<void> {
  yield* importTimes(transaction, row, { created, updated, recent });
  const description = { title, metadata, names: subject !== null && isOfSubject ? [subject] : [] };
  if (title === null && metadata === null && description.names.length === 0) return;
  yield* writeDescription(transaction, row.id, description, true);
}

/** The outcome of a scope's line where the scope is there already: what is there stays. */
function* compareDescription(
  { transaction, row }: CurrentScope,
  { title, metadata }: ImportedScope,
): Operation<Outcome> {
  const own = yield* readDescription(transaction, row, NOTHING_SKIPPED);
  return isSameDescription(own, { ...NO_DESCRIPTION, title, metadata }) ? "unchanged" : "conflicting";
}

/** The current scope; its row is changed in place. */
interface CurrentScope {
  readonly transaction: WriteTransaction;
  readonly row: ScopeRow;
  readonly target: ScopeTarget;
  /** As of the target, and then as found. */
  differing: string | null;
}

function* importItem(current: CurrentScope, item: ScopeItem, isNew: boolean): Operation<Outcome> {
  if (item.type === "scope") return isNew ? "imported" : yield* compareDescription(current, item);
  if (item.type === "turn") return yield* importTurn(current, item);
  if (item.type === "journal") return yield* importJournal(current, item);
  if (item.type === "entry") return yield* importEntryUnlessDiffering(current, item);
  return yield* (item.type === "pin" ? importPin(current, item) : importSummary(current, item));
}

/** A journal that differs from the one here from some entry on gets nothing behind it: the two histories would be mixed. */
function* importEntryUnlessDiffering(current: CurrentScope, item: ImportedEntry): Operation<Outcome> {
  if (current.differing === item.part) return "conflicting";
  const outcome = yield* importEntry(current, item);
  if (outcome === "conflicting") current.differing = item.part;
  return outcome;
}

function* importTurn({ transaction, row, target }: CurrentScope, item: ImportedTurn): Operation<Outcome> {
  const { place, limits, origin } = target;
  const { turn: { turnId, revision, messages }, expiry, payload, bytes, media } = item;
  if (isPast(transaction, expiry?.expiryMs ?? null)) return "expired";
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
  const [deleted, owners] = yield* together([
    deletedMessages(transaction, place, { turnId, messages }),
    messageOwners(transaction, row, messages),
  ]);
  if (deleted.length > 0) return "refused";
  if (owners.some((owner) => owner !== null)) return "conflicting";
  requireMediaBytes(messages, "turn.messages", limits.mediaBytes);
  const found = yield* findMedia(
    transaction,
    row,
    { messages, messagesField: "turn.messages", media },
    noMedia,
  );
  requireCapacity(row, { bytes, limits }, { old: null, media: found });
  const written = { place, turnId, revision, messages, media, payload, bytes, expiry };
  yield* writeTurn(transaction, row, written, { old: null, media: found });
  return "imported";
}

function noMedia(field: string): ContractError {
  return new ContractError(field, `Expected ${field} to refer to media of the lines, or of the conversation`);
}

function* importPin(current: CurrentScope, item: ImportedPin): Operation<Outcome> {
  const { transaction, row, target } = current;
  const { place, origin } = target;
  const { pin: { source }, written } = item;
  const { key, revision, expiry } = written;
  if (isPast(transaction, expiry?.expiryMs ?? null)) return "expired";
  const old = yield* transaction.get(SELECT_PIN, row.id, key);
  if (old !== undefined) {
    const stored = requirePin(row, old);
    // Its source is part of the payload.
    return isSamePin(stored, toPinRow(row, written, stored.sourceTurn)) ? "unchanged" : "conflicting";
  }
  const hashes = { scopeHash: place.scopeHash, keyHash: itemHashOf(place.hashKey, "pin", place.scope, key) };
  if (yield* isItemRefused(transaction, hashes, revision, origin)) return "refused";
  const sourceTurn = source === undefined ? null : yield* findSource(current, source);
  if (source !== undefined && sourceTurn === null) return "refused";
  requirePinCapacity(row);
  yield* writePin(transaction, row, written, sourceTurn);
  row.pins++;
  noteExpiry(row, expiry?.expiryMs ?? null);
  yield* changedScope(changeOf(transaction, place, row));
  return "imported";
}

/** The row of the turn that a pin cites; null unless the cited text is exactly there. */
function* findSource(
  { transaction, row }: CurrentScope,
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

function* importSummary(
  { transaction, row, target }: CurrentScope,
  item: ImportedSummary,
): Operation<Outcome> {
  const { place } = target;
  const { summary, written } = item;
  const { createdMs, expiresMs, payload } = written;
  if (isPast(transaction, expiresMs)) return "expired";
  const old = yield* transaction.get(SELECT_SUMMARY, row.id);
  if (old !== undefined) return requireSummary(row, old).payload === payload ? "unchanged" : "conflicting";
  const covered = yield* readCovered(transaction, row, summary);
  const turns = covered.map(({ turn }) => turn);
  // A summary from a store whose clock is ahead is valid from its own time of creation on.
  const atMs = Math.max(transaction.time().effectiveMs, createdMs);
  const at = atMs === createdMs ? instantOf(summary.createdAt) : instantFromMs(atMs);
  if (!matches(summary, turns, place.scope, at)) return "refused";
  yield* writeSummary(transaction, row, written, covered);
  yield* changedScope(changeOf(transaction, place, row));
  return "imported";
}
