/** One batch of indexing. It reads turns, chunks and analyzes them outside a transaction, and writes them. */

import { noteUnindexedIn } from "../deletion/erase_index.ts";
import { type IndexRow, readIndexes, writeIndex } from "../tables/chunk_indexes.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import type { Damage } from "../engine/damage.ts";
import {
  known,
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";
import { TERMS_PER_STEP, TURNS_PER_PAGE } from "../limits.ts";
import { readPartsOfTurn, SELECT_SOURCES_OF_PARTS } from "../tables/draining_turns.ts";
import { chunkRanges } from "./chunk_ranges.ts";
import { endsAsking } from "./asking.ts";
import { indexedTexts } from "./indexed_texts.ts";
import { instantMs, instantOf } from "../canonical/time.ts";
import type { IndexedChunk } from "../tables/indexed_turns.ts";
import type { Pace } from "../pace.ts";
import type { TermCount } from "../tables/posting_list.ts";
import { findIndex, type IndexKind, indexOfKind, makeIndex, unindexedTurns } from "./index_state.ts";
import {
  addPart,
  addTurns,
  finishTurn,
  type LongTurn,
  placeTurn,
  type PreparedTurn,
} from "./index_writing.ts";
import type { Place } from "../scopes/place.ts";
import { requireScope, requireUpkept } from "../scopes/present_scope.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import type { Row } from "../engine/values.ts";
import { requireCurrent } from "../scopes/take_snapshot.ts";
import { SELECT_TURN_BY_ROW, type StoredTurn, toStoredTurn, toTurnFields } from "../tables/turns.ts";
import { DELETE_UNINDEXED_TURN, SELECT_IS_INDEXED } from "../tables/indexed_turns.ts";

/** The validated arguments of a batch. */
export interface BatchPlan {
  readonly place: Place;
  readonly epoch: string;
  /** The snapshot that must be current; null indexes whichever turns exist. */
  readonly snapshot: Snapshot | null;
  readonly kind: IndexKind;
  readonly batchSize: number;
  /** UTF-8 bytes of turns after which the batch ends; it has at least one turn. */
  readonly bytesMax: number;
  /** How damaged turns are handled: skipped ones stay noted as not indexed. */
  readonly damage: Damage;
}

/** A damaged turn that a batch skips. */
interface DamagedTurn {
  /** The turn's row. */
  readonly turn: number;
  /** The payload checksum in its row. */
  readonly source: number;
  readonly isDamaged: true;
}

/** A turn of a batch, chunked and analyzed. */
export type BatchTurn = PreparedTurn | DamagedTurn;

/** The turns that a batch starts from. */
interface Unindexed {
  /** Null if the index does not exist yet. */
  readonly index: IndexRow | null;
  /** In order of their rows: changed turns, then new ones. */
  readonly turns: readonly (StoredTurn | DamagedTurn)[];
  /** The number of turns that are neither indexed nor known to be damaged. */
  readonly remaining: number;
  /** Whether the scope has a retired index to delete. */
  readonly hasRetired: boolean;
  /** Whether there are postings of turns that are not indexed. */
  readonly isDraining: boolean;
}

function* currentRow(
  transaction: ReadTransaction,
  { place, epoch, snapshot }: BatchPlan,
  atMs: number,
): Operation<ScopeRow> {
  if (snapshot === null) return yield* requireScope(transaction, place);
  return (yield* requireCurrent(transaction, place, snapshot, { atMs, epoch })).row;
}

/** Reads the turns of a batch. */
export function* readUnindexed(
  transaction: ReadTransaction,
  plan: BatchPlan,
  atMs: number,
): Operation<Unindexed> {
  const row = yield* currentRow(transaction, plan, atMs);
  const indexes = yield* readIndexes(transaction, row.id);
  const index = indexOfKind(indexes, plan.kind);
  const damagedBefore = plan.damage.turns.size;
  const turns = yield* readTurns(transaction, row, index, plan);
  const remaining = unindexedTurns(row, index) - (yield* countDamaged(transaction, index, plan.damage));
  if (turns.length === 0 && remaining !== 0 && plan.damage.turns.size === damagedBefore) {
    throw new IntegrityError("The index has the wrong number of turns", {
      details: { table: "chunk_indexes" },
    });
  }
  const hasRetired = indexes.some(({ retired }) => retired === 1);
  return { index, turns, remaining, hasRetired, isDraining: indexes.some(({ draining }) => draining > 0) };
}

function* readTurns(
  transaction: ReadTransaction,
  row: ScopeRow,
  index: IndexRow | null,
  { damage, batchSize, bytesMax }: BatchPlan,
): Operation<readonly (StoredTurn | DamagedTurn)[]> {
  // Turns that are known to be damaged do not count towards the batch size.
  const limit = batchSize + damage.turns.size;
  const ids = (yield* selectUnindexed(transaction, row.id, index, limit)).filter((id) =>
    !damage.turns.has(id)
  );
  const turns: (StoredTurn | DamagedTurn)[] = [];
  let bytes = 0;
  for (let from = 0; from < ids.length; from += TURNS_PER_PAGE) {
    const page = ids.slice(from, from + TURNS_PER_PAGE);
    const found = yield* transaction.getEach(SELECT_TURN_BY_ROW, page.map((id) => [id]));
    for (const [at, id] of page.entries()) {
      if (found[at] === undefined || turns.length === batchSize) return turns;
      const turn = readStored(damage, row, found[at]);
      // A turn that an earlier batch skipped is noted already.
      if ("isDamaged" in turn && index !== null && id <= index.indexedTo) continue;
      bytes += "bytes" in turn ? turn.bytes : 0;
      if (turns.length > 0 && bytes > bytesMax) return turns;
      turns.push(turn);
    }
  }
  return turns;
}

const SELECT_UNINDEXED = `SELECT turn FROM unindexed_turns WHERE index_id = $1 ORDER BY turn LIMIT $2`;
const SELECT_NEW_TURNS = `SELECT id FROM turns WHERE scope = $1 AND id > $2 ORDER BY id LIMIT $3`;

function* selectUnindexed(
  transaction: ReadTransaction,
  scope: number,
  index: IndexRow | null,
  limit: number,
): Operation<readonly number[]> {
  const [changed, fresh] = yield* together([
    index === null ? known([]) : transaction.all(SELECT_UNINDEXED, index.id, limit),
    transaction.all(SELECT_NEW_TURNS, scope, index?.indexedTo ?? 0, limit),
  ]);
  return [...changed, ...fresh].slice(0, limit).map(([id]) => id as number);
}

function readStored(damage: Damage, scope: ScopeRow, row: Row): StoredTurn | DamagedTurn {
  const { id, payloadChecksum } = toTurnFields(row);
  const turn = damage.readTurn(id, () => toStoredTurn(scope, row));
  return turn ?? { turn: id, source: payloadChecksum, isDamaged: true };
}

/** Counts the turns that are known to be damaged and not in the index. */
function* countDamaged(
  transaction: ReadTransaction,
  index: IndexRow | null,
  { turns }: Damage,
): Operation<number> {
  if (index === null) return turns.size;
  const found = yield* transaction.getEach(SELECT_IS_INDEXED, [...turns].map((turn) => [index.id, turn]));
  return found.filter((indexed) => indexed === undefined).length;
}

/** Chunks and analyzes a turn, and yields to the event loop now and then. */
export async function prepareTurn(
  stored: StoredTurn | DamagedTurn,
  { size, analyzer }: IndexKind,
  pace: Pace,
): Promise<BatchTurn> {
  if ("isDamaged" in stored) return stored;
  const { id, payloadChecksum, turn } = stored;
  const ranges: IndexedChunk[] = [];
  const terms = new Map<string, TermCount[]>();
  for (const [place, { message: { role }, text, names }] of indexedTexts(turn, analyzer).entries()) {
    for (const range of chunkRanges(text, size)) {
      if (pace.mustYield()) await pace.rest();
      const { frequencies, length } = analyzer.documentTerms(range.content, turn.timestamp, names);
      for (const [term, frequency] of length === 0 ? [] : frequencies) {
        const counts = terms.get(term);
        if (counts === undefined) terms.set(term, [{ chunk: ranges.length, frequency }]);
        else counts.push({ chunk: ranges.length, frequency });
      }
      const { start, end, content } = range;
      ranges.push({ text: place, role, start, end, length, asks: endsAsking(content) });
    }
  }
  return { turn: id, source: payloadChecksum, atMs: instantMs(instantOf(turn.timestamp)), ranges, terms };
}

/** The progress of a batch. */
export interface Indexed {
  /** Null if the index was replaced meanwhile. */
  readonly index: IndexRow | null;
  readonly processed: number;
  readonly remaining: number;
}

/** Writes a batch. Turns that changed since they were read are left for the next batch. */
export function* writeBatch(
  transaction: WriteTransaction,
  plan: BatchPlan,
  from: IndexRow | null,
  prepared: readonly BatchTurn[],
): Operation<Indexed> {
  const row = yield* currentRow(transaction, plan, transaction.time().effectiveMs);
  requireUpkept(transaction, row);
  const found = yield* findIndex(transaction, row.id, plan.kind);
  // If the index was replaced since the read, this batch would skip the turns between its end and the batch.
  if (found?.born !== from?.born) return { index: null, processed: 0, remaining: unindexedTurns(row, found) };
  const index = found ?? (yield* makeIndex(transaction, row.id, plan.kind));
  const turns = yield* takeUnchanged(transaction, row.id, index, prepared);
  yield* addTurns(transaction, index, turns);
  yield* writeIndex(transaction, index);
  const remaining = unindexedTurns(row, index) - (yield* countDamaged(transaction, index, plan.damage));
  return { index, processed: turns.length, remaining };
}

/** How far a long turn has come. */
interface PartWritten extends Indexed {
  /** The next part; null once the turn is indexed. */
  readonly next: number | null;
}

/**
 * Writes a part of a turn that is too long for one transaction, or puts it into the index after its last part. Another
 * process may have added parts meanwhile, which are the same: then it goes on after them.
 */
export function* writePart(
  transaction: WriteTransaction,
  plan: BatchPlan,
  from: IndexRow | null,
  long: LongTurn,
): Operation<PartWritten> {
  const { turn } = long;
  const row = yield* currentRow(transaction, plan, transaction.time().effectiveMs);
  requireUpkept(transaction, row);
  const found = yield* findIndex(transaction, row.id, plan.kind);
  const gone = { index: null, processed: 0, remaining: unindexedTurns(row, found), next: null };
  if (found?.born !== from?.born) return gone;
  const index = found ?? (yield* makeIndex(transaction, row.id, plan.kind));
  const [stored, indexed, parts] = yield* together([
    transaction.get(SELECT_SOURCE, turn.turn, row.id),
    transaction.get(SELECT_IS_INDEXED, index.id, turn.turn),
    transaction.all(SELECT_SOURCES_OF_PARTS, index.id, turn.turn),
  ]);
  // If the turn has changed, its parts are erased before it is indexed again.
  const isCurrent = stored?.[0] === turn.source && parts.every(([source]) => source === turn.source);
  if (!isCurrent || indexed !== undefined) return gone;
  const isLast = parts.length === long.parts.length;
  if (parts.length === 0 && turn.turn > index.indexedTo) placeTurn(index, turn.turn);
  if (isLast) {
    yield* finishTurn(transaction, index, turn, yield* readPartsOfTurn(transaction, index.id, turn.turn));
    yield* transaction.run(DELETE_UNINDEXED_TURN, index.id, turn.turn);
    index.indexedTo = Math.max(index.indexedTo, turn.turn);
  } else {
    yield* addPart(transaction, index, long, parts.length);
  }
  yield* writeIndex(transaction, index);
  const remaining = unindexedTurns(row, index) - (yield* countDamaged(transaction, index, plan.damage));
  return { index, processed: isLast ? 1 : 0, remaining, next: isLast ? null : parts.length + 1 };
}

/** Splits a batch into steps, each for a transaction: turns of not too many terms, or one long turn by itself. */
export function* stepsOf(batch: readonly BatchTurn[]): Generator<readonly BatchTurn[], void, undefined> {
  let step: BatchTurn[] = [];
  let terms = 0;
  for (const turn of batch) {
    const more = "isDamaged" in turn ? 0 : turn.terms.size;
    if (step.length > 0 && terms + more > TERMS_PER_STEP) {
      yield step;
      [step, terms] = [[], 0];
    }
    step.push(turn);
    terms += more;
  }
  if (step.length > 0) yield step;
}

const SELECT_SOURCE = `SELECT payload_checksum FROM turns WHERE id = $1 AND scope = $2`;

/** Returns the turns that are unchanged and still not indexed, and advances the index past them. */
function* takeUnchanged(
  transaction: WriteTransaction,
  scope: number,
  index: IndexRow,
  prepared: readonly BatchTurn[],
): Operation<readonly PreparedTurn[]> {
  const [sources, indexed] = yield* together([
    transaction.getEach(SELECT_SOURCE, prepared.map(({ turn }) => [turn, scope])),
    transaction.getEach(SELECT_IS_INDEXED, prepared.map(({ turn }) => [index.id, turn])),
  ]);
  const taken: PreparedTurn[] = [];
  const damaged: number[] = [];
  for (const [at, turn] of prepared.entries()) {
    const source = sources[at]?.[0];
    if (source !== undefined && source !== turn.source) {
      if (turn.turn > index.indexedTo) break;
      continue;
    }
    if (source !== undefined && indexed[at] === undefined) {
      if (turn.turn > index.indexedTo) placeTurn(index, turn.turn);
      if ("isDamaged" in turn) damaged.push(turn.turn);
      else taken.push(turn);
    }
    index.indexedTo = Math.max(index.indexedTo, turn.turn);
  }
  yield* together([
    noteUnindexedIn(transaction, index.id, damaged),
    transaction.runEach(DELETE_UNINDEXED_TURN, taken.map(({ turn }) => [index.id, turn])),
  ]);
  return taken;
}
