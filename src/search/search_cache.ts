/** Loads the turns of an index for a search, with their neighbours; each turn is read once. */

import { blockOf } from "../tables/chunk_indexes.ts";
import { readRowOfTurn } from "../tables/postings.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import { INDEXED_TURNS_PER_READ } from "../limits.ts";
import {
  SELECT_TURN_OF_INDEX,
  type SoughtTerms,
  termsAmong,
  toSearchedTurn,
} from "../tables/indexed_turns.ts";
import type { Posting, TermCount } from "../tables/posting_list.ts";
import { type KnownTurn, link, LoadedTurn } from "./loaded_turn.ts";
import type { Query } from "./index_query.ts";

/** Turns on each side that can lend to a turn: messages lend up to a distance of two. */
const REACH = 2;

/** Rows that are read at a time to find neighbours. Few turns have no words, so that few rows are enough. */
const BESIDE_PER_READ = 4;

/** The rows that searches for one question have read, for any window. */
export class SearchCache {
  /** Row → turn. */
  readonly turns = new Map<number, KnownTurn>();
  /** Row → the rows of the turns around it, in order. */
  readonly around = new Map<number, Around>();
  /** Term of the question → all its postings below a row. */
  readonly postings = new Map<number, { readonly below: number; readonly found: readonly FoundPosting[] }>();
}

/** A turn and its neighbours. */
interface Around {
  readonly ids: readonly number[];
  /** Whether there is no turn before them. */
  readonly isFirst: boolean;
  /** Whether there is no turn after them, outside the window. */
  readonly isLast: boolean;
}

/** A posting of a term of the question. */
export interface FoundPosting {
  /** The position of the term in the question. */
  readonly term: number;
  readonly turn: number;
  readonly counts: readonly TermCount[];
}

/** The position at which a read of all turns continues. */
export interface PageStart {
  /** The last row that was read. */
  readonly after: number;
  /** The last turn that was loaded. */
  readonly before: LoadedTurn | null;
}

/** The turns that a search has loaded. */
export class LoadedTurns {
  readonly #query: Query;
  readonly #cache: SearchCache;
  readonly #sought: SoughtTerms;
  readonly #numbers: ReadonlyMap<number, number>;
  readonly #turns = new Map<number, LoadedTurn>();
  readonly #onLoad: (turn: LoadedTurn) => void;
  /** The oldest shortened turn of the window, which follows the turns outside it. */
  readonly #firstShortened: LoadedTurn | null;

  /** Creates the turns of a question, with its cache and the shortened turns of the window. */
  constructor(query: Query, { cache, shortened, onLoad }: {
    readonly cache: SearchCache;
    readonly shortened: readonly LoadedTurn[];
    readonly onLoad: (turn: LoadedTurn) => void;
  }) {
    this.#query = query;
    this.#cache = cache;
    this.#onLoad = onLoad;
    this.#sought = {
      places: new Map(query.found.map(({ number, index }) => [number, index])),
      last: query.found.reduce((last, { number }) => Math.max(last, number), 0),
    };
    this.#numbers = new Map(query.found.map(({ number, index }) => [index, number]));
    this.#firstShortened = shortened[0] ?? null;
    for (const turn of shortened) this.#turns.set(turn.id, turn);
  }

  /** The number of loaded turns. */
  get count(): number {
    return this.#turns.size;
  }

  /** Returns the loaded turns. */
  all(): Iterable<LoadedTurn> {
    return this.#turns.values();
  }

  /** Returns a turn if it is loaded. */
  get(id: number): LoadedTurn | undefined {
    return this.#turns.get(id);
  }

  /** Loads the turn of a posting. */
  *load(transaction: ReadTransaction, id: number): Operation<LoadedTurn> {
    const known = this.#turns.get(id);
    if (known !== undefined) return known;
    const row = yield* transaction.get(SELECT_TURN_OF_INDEX, this.#query.index.id, id);
    const turn = row === undefined ? null : this.#take(row);
    if (turn === null) throw damaged();
    return turn;
  }

  /** Loads the turn of a posting, and the neighbours that can lend to it. */
  *loadAround(transaction: ReadTransaction, id: number): Operation<void> {
    if (this.#turns.get(id) === undefined) {
      const around = this.#cache.around.get(id) ?? (yield* this.#readAround(transaction, id));
      this.#cache.around.set(id, around);
      this.#linkAround(around);
    }
    const turn = this.#turns.get(id);
    if (turn === undefined) throw damaged();
    yield* this.loadBeside(transaction, turn);
  }

  *#readAround(transaction: ReadTransaction, id: number): Operation<Around> {
    const { index, boundary, expiredTurns } = this.#query;
    const reach = REACH + expiredTurns.size;
    // A single statement that finds the first row itself takes SQLite three times as long as these two.
    const upTo = yield* transaction.all(SELECT_TURNS_BEFORE, index.id, id + 1, reach + 1);
    const after = yield* transaction.all(SELECT_TURNS_AFTER, index.id, id, boundary, reach);
    const ids = [...upTo.toReversed(), ...after].map((row) => this.#known(row).turn);
    return { ids, isFirst: upTo.length <= reach, isLast: after.length < reach };
  }

  #linkAround({ ids, isFirst, isLast }: Around): void {
    const { boundary } = this.#query;
    const turns = ids.filter((id) => id < boundary).map((id) => this.#loaded(this.#cache.turns.get(id)!));
    const known = turns.filter((turn) => turn !== null);
    for (const [position, turn] of known.entries()) if (position > 0) link(known[position - 1]!, turn);
    if (isFirst && known.length > 0) link(null, known[0]!);
    const endsAtWindow = isLast || ids.at(-1)! >= boundary;
    if (endsAtWindow && known.length > 0) link(known.at(-1)!, this.#firstShortened);
  }

  /** Loads the neighbours of a turn that are not known yet. */
  *loadBeside(transaction: ReadTransaction, turn: LoadedTurn): Operation<void> {
    let next: LoadedTurn | null | undefined = turn;
    for (let left = REACH; left > 0 && next; left--) {
      if (next.next === undefined) yield* this.#loadAfter(transaction, next, left);
      next = next.next;
    }
    let previous: LoadedTurn | null | undefined = turn;
    for (let left = REACH; left > 0 && previous; left--) {
      if (previous.previous === undefined) yield* this.#loadBefore(transaction, previous, left);
      previous = previous.previous;
    }
  }

  /** Loads the next turns. It skips turns without words and expired ones, but validates their rows too. */
  *#loadAfter(transaction: ReadTransaction, from: LoadedTurn, count: number): Operation<void> {
    const { index, boundary } = this.#query;
    let before = from;
    let left = count;
    let cursor = from.id;
    for (;;) {
      const rows = yield* transaction.all(SELECT_TURNS_AFTER, index.id, cursor, boundary, BESIDE_PER_READ);
      for (const row of rows) {
        cursor = row[0] as number;
        const turn = this.#take(row);
        if (turn === null) continue;
        link(before, turn);
        before = turn;
        if (--left === 0) return;
      }
      if (rows.length < BESIDE_PER_READ) return link(before, this.#firstShortened);
    }
  }

  *#loadBefore(transaction: ReadTransaction, from: LoadedTurn, count: number): Operation<void> {
    const { index, boundary } = this.#query;
    let after = from;
    let left = count;
    let cursor = Math.min(from.id, boundary);
    for (;;) {
      const rows = yield* transaction.all(SELECT_TURNS_BEFORE, index.id, cursor, BESIDE_PER_READ);
      for (const row of rows) {
        cursor = row[0] as number;
        const turn = this.#take(row);
        if (turn === null) continue;
        link(turn, after);
        after = turn;
        if (--left === 0) return;
      }
      if (rows.length < BESIDE_PER_READ) return link(null, after);
    }
  }

  /** Loads the next page of turns; returns where the next page begins, or null at the end. */
  *loadPage(transaction: ReadTransaction, { after, before }: PageStart): Operation<PageStart | null> {
    const { index, boundary } = this.#query;
    const rows = yield* transaction.all(
      SELECT_TURNS_AFTER,
      index.id,
      after,
      boundary,
      INDEXED_TURNS_PER_READ,
    );
    let last = before;
    for (const row of rows) {
      const turn = this.#take(row);
      if (turn === null) continue;
      link(last, turn);
      last = turn;
    }
    if (rows.length === INDEXED_TURNS_PER_READ) return { after: rows.at(-1)![0] as number, before: last };
    link(last, this.#firstShortened);
    return null;
  }

  /** Reads the missing postings of turns. Turns that are close together usually share a row of postings. */
  *complete(transaction: ReadTransaction, turns: Iterable<LoadedTurn>): Operation<void> {
    const rows = new Map<number, readonly Posting[]>();
    for (const turn of [...turns].sort((left, right) => left.id - right.id)) {
      for (const index of [...turn.unread]) {
        let posting = postingOf(rows.get(index), turn.id);
        if (posting === undefined) {
          const row = yield* this.#readRow(transaction, index, turn.id);
          rows.set(index, row);
          posting = postingOf(row, turn.id);
        }
        if (posting === undefined) throw damaged();
        turn.take(index, posting.counts);
      }
    }
  }

  #readRow(transaction: ReadTransaction, index: number, turn: number): Operation<readonly Posting[]> {
    const { index: { id: indexId, blocks } } = this.#query;
    const place = { indexId, block: blockOf({ blocks }, turn), term: this.#numbers.get(index)! };
    return readRowOfTurn(transaction, place, turn);
  }

  /** Loads the turn of a row; returns null if it is not searched. */
  #take(row: Row): LoadedTurn | null {
    return this.#loaded(this.#known(row));
  }

  /** Loads a known turn; returns null if it has no words or has expired. */
  #loaded(known: KnownTurn): LoadedTurn | null {
    const loaded = this.#turns.get(known.turn);
    if (loaded !== undefined) return loaded;
    if (this.#query.expiredTurns.has(known.turn)) return null;
    const turn = new LoadedTurn(known);
    if (turn.messages.length === 0) return null;
    this.#turns.set(turn.id, turn);
    this.#onLoad(turn);
    return turn;
  }

  #known(row: Row): KnownTurn {
    const id = row[0] as number;
    let known = this.#cache.turns.get(id);
    if (known === undefined) {
      const { termList, ...turn } = toSearchedTurn(this.#query.index.id, row);
      known = { ...turn, unread: termsAmong(this.#sought, termList), counts: new Map() };
      this.#cache.turns.set(id, known);
    }
    return known;
  }
}

const SELECT_TURNS_AFTER =
  `SELECT turn, source, lists_checksum, chunk_list, term_list FROM indexed_turns WHERE index_id = $1 AND turn > $2 AND turn < $3
  ORDER BY turn LIMIT $4`;

const SELECT_TURNS_BEFORE =
  `SELECT turn, source, lists_checksum, chunk_list, term_list FROM indexed_turns WHERE index_id = $1 AND turn < $2
  ORDER BY turn DESC LIMIT $3`;

function postingOf(row: readonly Posting[] | undefined, turn: number): Posting | undefined {
  return row?.find((posting) => posting.turn === turn);
}

function damaged(): IntegrityError {
  return new IntegrityError("A posting of the index refers to a missing row", {
    details: { table: "postings" },
  });
}
