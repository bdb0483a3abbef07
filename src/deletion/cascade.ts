/**
 * The cascade: with a turn its message ids are erased, its part of each index, the pins that cite it, a summary that
 * covers it, and the scope's cached responses. Nothing here parses what it erases, so damage never prevents a deletion.
 */

import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import type { Scope } from "../contracts/scope.ts";
import { eraseIndexesOfScope, eraseTurnFromIndexes } from "./erase_index.ts";
import { eraseJournalsOfScope } from "./erase_journals.ts";
import { eraseMediaOfScope, eraseMediaOfTurn } from "./erase_media.ts";
import { itemHashOf } from "./scope_hashes.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import { raiseFloors } from "./tombstones.ts";
import { DELETE_DESCRIPTION } from "../tables/descriptions.ts";
import { SELECT_COVERED } from "../tables/summaries.ts";
import { DELETE_MESSAGE_IDS, DELETE_TURN } from "../tables/turns.ts";

/** How many rows were erased, by their kind. */
export interface Erased {
  turns: number;
  pins: number;
  summaries: number;
  chunks: number;
  postings: number;
  replay: number;
  operations: number;
  journals: number;
  /** Entries of journals. */
  entries: number;
  /** Media, each counted once. */
  media: number;
}

/** Counts of zero. */
export function nothingErased(): Erased {
  const conversation = { turns: 0, pins: 0, summaries: 0, chunks: 0, postings: 0, replay: 0, operations: 0 };
  return { ...conversation, journals: 0, entries: 0, media: 0 };
}

/** A change of a scope, whose row is changed in place and written by the caller. */
export interface Change {
  readonly transaction: WriteTransaction;
  readonly row: ScopeRow;
  readonly hashKey: Uint8Array;
  readonly erased: Erased;
  /** Set where postings of a long turn are left in an index: to be drained after this transaction. */
  isDraining?: boolean;
}

/** A change of everything under a scope, whose row need not be there. */
export interface ContentsChange extends Pick<Change, "transaction" | "erased"> {
  readonly row: Pick<ScopeRow, "id">;
}

/** The part of a turn's row that erasing needs. */
export interface ErasableTurn {
  readonly id: number;
  readonly bytes: number;
}

function scopeOf({ tenant, session }: ScopeRow): Scope {
  return { tenantId: tenant, sessionId: session };
}

/** Erases a turn and everything that derives from it. The scope's revision moves by one, and one for each pin. */
export function* eraseTurn(change: Change, turn: ErasableTurn): Operation<void> {
  const { transaction, row, erased } = change;
  const [removed] = yield* together([
    transaction.run(DELETE_TURN, turn.id),
    eraseMessageIds(change, turn.id),
    changedTurn(change, turn.id),
    eraseMediaOfTurn(change, turn.id),
  ]);
  transaction.markDirty("turns");
  erased.turns += removed;
  row.turns -= removed;
  row.turnBytes -= turn.bytes;
}

/** Erases a turn's message ids. */
export function* eraseMessageIds({ transaction }: Change, turn: number): Operation<void> {
  if ((yield* transaction.run(DELETE_MESSAGE_IDS, turn)) > 0) transaction.markDirty("message_ids");
}

/** Erases what derives from a turn whose content changed or was erased; the scope's revision moves. */
export function* changedTurn(change: Change, turn: number): Operation<void> {
  yield* together([
    changedScope(change),
    eraseTurnFromIndexes(change, turn),
    erasePinsOf(change, turn),
    eraseSummaryOf(change, turn),
  ]);
}

/** Moves the scope's revision, before anything is yielded, and erases its cached responses: for any change of it. */
export function* changedScope(change: Change): Operation<void> {
  change.row.revision++;
  yield* eraseReplays(change);
}

const SELECT_PINS_OF_TURN = `SELECT key, revision FROM pins WHERE source_turn = $1`;

/** Erases the pins that cite a turn. No event says so, so each leaves its minimum revision in main. */
function* erasePinsOf(change: Change, turn: number): Operation<void> {
  const { transaction, row, hashKey } = change;
  const pins = (yield* transaction.all(SELECT_PINS_OF_TURN, turn)) as unknown as [string, number][];
  const floors = pins.map(([key, revision]) => ({
    keyHash: itemHashOf(hashKey, "pin", scopeOf(row), key),
    revision,
  }));
  yield* together([
    raiseFloors(transaction, row.scopeHash, floors),
    ...pins.map(([key]) => erasePin(change, key)),
  ]);
}

const DELETE_PIN = `DELETE FROM pins WHERE scope = $1 AND key = $2`;

/** Erases a pin; the scope's revision moves by one. */
export function* erasePin(change: Change, key: string): Operation<void> {
  const { transaction, row, erased } = change;
  const [removed] = yield* together([transaction.run(DELETE_PIN, row.id, key), changedScope(change)]);
  if (removed > 0) transaction.markDirty("pins");
  erased.pins += removed;
  row.pins -= removed;
}

function* eraseSummaryOf(change: Change, turn: number): Operation<void> {
  if ((yield* change.transaction.get(SELECT_COVERED, change.row.id, turn)) !== undefined) {
    yield* eraseSummary(change);
  }
}

const DELETE_SUMMARY = `DELETE FROM summaries WHERE scope = $1`;
const DELETE_COVERED_TURNS = `DELETE FROM covered_turns WHERE scope = $1`;

/** Erases a scope's summary. */
export function* eraseSummary({ transaction, row, erased }: ContentsChange): Operation<void> {
  const [removed] = yield* together([
    transaction.run(DELETE_SUMMARY, row.id),
    transaction.run(DELETE_COVERED_TURNS, row.id),
  ]);
  if (removed > 0) transaction.markDirty("summaries");
  erased.summaries += removed;
}

const DELETE_REPLAYS = `DELETE FROM replays WHERE scope = $1`;

/** Erases a scope's cached responses. */
function* eraseReplays({ transaction, row, erased }: ContentsChange): Operation<void> {
  const removed = yield* transaction.run(DELETE_REPLAYS, row.id);
  if (removed > 0) transaction.markDirty("replays");
  erased.replay += removed;
}

const DELETE_TURNS_OF_SCOPE = `DELETE FROM turns WHERE scope = $1`;
const DELETE_MESSAGE_IDS_OF_SCOPE = `DELETE FROM message_ids WHERE scope = $1`;
const DELETE_PINS_OF_SCOPE = `DELETE FROM pins WHERE scope = $1`;
/** Parameter: the hash of the scope. */
export const DELETE_OPERATIONS_OF_SCOPE = `DELETE FROM operations WHERE scope_hash = $1`;
const DELETE_FLOORS_OF_SCOPE = `DELETE FROM floors WHERE scope_hash = $1`;
const DELETE_SCOPE = `DELETE FROM scopes WHERE id = $1`;

/** Erases a scope with all its rows: only its hash remains, in the ledger and in main's copy of it. */
export function* eraseScope(change: Change): Operation<void> {
  const { transaction, row, erased } = change;
  const [operations] = yield* together([
    eraseByScopeHash(transaction, row.scopeHash),
    eraseContents(change),
    transaction.run(DELETE_SCOPE, row.id),
  ]);
  erased.operations += operations;
  transaction.markDirty("scopes");
}

/** Erases everything that lies under the row of a scope, which may be gone already. */
export function* eraseContents(change: ContentsChange): Operation<void> {
  const { transaction, row, erased } = change;
  const [turns, pins, descriptions] = yield* together([
    transaction.run(DELETE_TURNS_OF_SCOPE, row.id),
    transaction.run(DELETE_PINS_OF_SCOPE, row.id),
    transaction.run(DELETE_DESCRIPTION, row.id),
    transaction.run(DELETE_MESSAGE_IDS_OF_SCOPE, row.id),
    eraseSummary(change),
    eraseReplays(change),
    eraseIndexesOfScope(change),
    eraseJournalsOfScope(change),
    eraseMediaOfScope(change),
  ]);
  erased.turns += turns;
  erased.pins += pins;
  for (const table of ["turns", "message_ids", "pins"]) transaction.markDirty(table);
  if (descriptions > 0) transaction.markDirty("descriptions");
}

/**
 * Erases what lies under a scope's hash rather than its row, also where that row is not there: a restore may have
 * applied the deletion of a turn to a scope that its backup lacks. Returns how many operations there were.
 */
export function* eraseByScopeHash(transaction: WriteTransaction, scopeHash: Uint8Array): Operation<number> {
  const [operations] = yield* together([
    transaction.run(DELETE_OPERATIONS_OF_SCOPE, scopeHash),
    transaction.run(DELETE_FLOORS_OF_SCOPE, scopeHash),
  ]);
  return operations;
}
