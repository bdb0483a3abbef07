/** One consistent view of a scope and its index over many short reads, between which everything else goes on. */

import { readScope, type ScopeRow } from "../tables/scopes.ts";
import type { IndexRow } from "../tables/chunk_indexes.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import type { Row } from "../engine/values.ts";
import type { Reading } from "../scopes/take_snapshot.ts";
import { SELECT_TURN_BY_ROW, type StoredTurn, toStoredTurn } from "../tables/turns.ts";

/** The scope changed, or its index made room for another: what was read so far belongs to the past. Internal. */
export class ViewGone extends Error {}

/** The index is asked, and is not complete. Internal. */
export class IndexNeeded extends Error {}

/** Turns turned out to be damaged and are noted: the call starts over without them. Internal. */
export class TurnsDamaged extends Error {}

/** How a view reads. */
export type ReadStore = <T>(factory: (transaction: ReadTransaction) => Operation<T>) => Promise<T>;

/** What a view is of. */
interface ViewOptions {
  readonly place: Place;
  readonly reading: Reading;
  /** Null where the scope has no turns, or the index is not complete. */
  readonly index: IndexRow | null;
  /** Whether the index is complete. */
  readonly isIndexed: boolean;
  readonly read: ReadStore;
  readonly damage: Damage;
}

/** See the module's documentation. Turns that are due, and damaged ones that are left out, are no part of it. */
export class View {
  readonly snapshot: Snapshot;
  readonly row: ScopeRow;
  /** Turns that are no part of it. */
  readonly expiredTurns: ReadonlySet<number>;
  /** Turns that are. */
  readonly turnCount: number;
  readonly index: IndexRow | null;
  readonly #isIndexed: boolean;
  #isSearched = false;
  readonly #place: Place;
  readonly #read: ReadStore;
  readonly #damage: Damage;
  readonly #turns = new Map<number, StoredTurn>();
  /** What main held when it was last seen that nothing has changed. */
  #state: object | null = null;

  /** Takes what was read first. */
  constructor({ place, reading, index, isIndexed, read, damage }: ViewOptions) {
    this.snapshot = reading.snapshot;
    this.row = reading.row;
    this.expiredTurns = reading.expiredTurns;
    this.turnCount = reading.row.turns - reading.expiredTurns.size;
    this.index = index;
    this.#isIndexed = isIndexed;
    this.#place = place;
    this.#read = read;
    this.#damage = damage;
  }

  /** Whether the index was asked. */
  get isSearched(): boolean {
    return this.#isSearched;
  }

  /** The index, to be asked; null where the scope has no turns. Throws where it is not complete. */
  indexToSearch(): IndexRow | null {
    if (!this.#isIndexed) throw new IndexNeeded();
    this.#isSearched = true;
    return this.index;
  }

  /** Reads, if nothing has changed; the scope's revision moves with every change of its turns. */
  read<T>(factory: (transaction: ReadTransaction) => Operation<T>): Promise<T> {
    const guarded = (transaction: ReadTransaction): Operation<T> => this.#guarded(transaction, factory);
    return this.#read(guarded);
  }

  *#guarded<T>(
    transaction: ReadTransaction,
    factory: (transaction: ReadTransaction) => Operation<T>,
  ): Operation<T> {
    // A state that is not told is none that was seen.
    if (transaction.state !== this.#state) yield* this.#require(transaction);
    this.#state = transaction.state ?? null;
    return yield* factory(transaction);
  }

  *#require(transaction: ReadTransaction): Operation<void> {
    const row = yield* readScope(transaction, this.#place.scopeHash);
    if (row === null || row.id !== this.row.id || row.revision !== this.row.revision) throw new ViewGone();
    if (this.index !== null) yield* requireIndex(transaction, this.index);
  }

  /** Turns of rows. Damaged ones, unless they are an error, are noted together, and the call starts over. */
  toTurns(rows: readonly Row[]): readonly StoredTurn[] {
    const turns = rows.map((row) =>
      this.#damage.readTurn(row[0] as number, () => toStoredTurn(this.row, row))
    ).filter((turn) => turn !== undefined);
    if (turns.length < rows.length) throw new TurnsDamaged();
    return turns;
  }

  /** Whether a turn was read already. */
  has(id: number): boolean {
    return this.#turns.has(id);
  }

  /** A turn that was read already. */
  known(id: number, source: number): StoredTurn {
    return requireSource(this.#turns.get(id) ?? null, source);
  }

  /** A turn that the index knows, as it is stored; one that was read before is not read again. */
  *turn(transaction: ReadTransaction, id: number, source: number): Operation<StoredTurn> {
    let turn = this.#turns.get(id);
    if (turn === undefined) {
      const row = yield* transaction.get(SELECT_TURN_BY_ROW, id);
      turn = requireSource((row === undefined ? [] : this.toTurns([row]))[0] ?? null, source);
      this.#turns.set(id, turn);
    }
    return requireSource(turn, source);
  }
}

function requireSource(turn: StoredTurn | null, source: number): StoredTurn {
  if (turn !== null && turn.payloadChecksum === source) return turn;
  throw new IntegrityError("A turn is not the one that was indexed", {
    details: { table: "indexed_turns" },
  });
}

const SELECT_INDEX = `SELECT born, retired FROM chunk_indexes WHERE id = $1`;

function* requireIndex(transaction: ReadTransaction, index: IndexRow): Operation<void> {
  const [born, retired] = (yield* transaction.get(SELECT_INDEX, index.id)) ?? [];
  if (born !== index.born || retired !== 0) throw new ViewGone();
}
