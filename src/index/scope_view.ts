/** A consistent view of a scope and its index over many short reads, without blocking writers between them. */

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

/** Thrown if the scope has changed or its index was retired, so that what was read is outdated. Internal. */
export class ViewGone extends Error {}

/** Thrown if a call asks the index while it is not complete. Internal. */
export class IndexNeeded extends Error {}

/** Thrown after damaged turns were noted: the call starts again without them. Internal. */
export class TurnsDamaged extends Error {}

/** Runs a read operation. */
export type ReadStore = <T>(factory: (transaction: ReadTransaction) => Operation<T>) => Promise<T>;

/** The parts of a view. */
interface ViewOptions {
  readonly place: Place;
  readonly reading: Pick<Reading, "row" | "expiredTurns">;
  /** Null if the scope has no turns, or the index is not complete. */
  readonly index: IndexRow | null;
  /** Whether the index is complete. */
  readonly isIndexed: boolean;
  readonly read: ReadStore;
  readonly damage: Damage;
}

/** A consistent view of a scope, without expired turns and without damaged turns that are skipped. */
export class SessionView {
  readonly row: ScopeRow;
  /** The rows of expired and skipped turns, which the view leaves out. */
  readonly expiredTurns: ReadonlySet<number>;
  /** The number of turns in the view. */
  readonly turnCount: number;
  readonly index: IndexRow | null;
  readonly #isIndexed: boolean;
  #isSearched = false;
  readonly #place: Place;
  readonly #read: ReadStore;
  readonly #damage: Damage;
  readonly #turns = new Map<number, StoredTurn>();
  /** The state of main at the last read that found nothing changed. */
  #state: object | null = null;

  /** Creates the view of a first reading. */
  constructor({ place, reading, index, isIndexed, read, damage }: ViewOptions) {
    this.row = reading.row;
    this.expiredTurns = reading.expiredTurns;
    this.turnCount = reading.row.turns - reading.expiredTurns.size;
    this.index = index;
    this.#isIndexed = isIndexed;
    this.#place = place;
    this.#read = read;
    this.#damage = damage;
  }

  /** Whether a call has asked for the index. */
  get isSearched(): boolean {
    return this.#isSearched;
  }

  /** Returns the index for a search; null if the scope has no turns. Throws `IndexNeeded` if it is not complete. */
  indexToSearch(): IndexRow | null {
    if (!this.#isIndexed) throw new IndexNeeded();
    this.#isSearched = true;
    return this.index;
  }

  /** Reads if nothing has changed. Every change of a turn also changes the revision of its scope. */
  read<T>(factory: (transaction: ReadTransaction) => Operation<T>): Promise<T> {
    const guarded = (transaction: ReadTransaction): Operation<T> => this.#guarded(transaction, factory);
    return this.#read(guarded);
  }

  *#guarded<T>(
    transaction: ReadTransaction,
    factory: (transaction: ReadTransaction) => Operation<T>,
  ): Operation<T> {
    // If the engine reports no state, the rows are checked at every read.
    if (transaction.state !== this.#state) yield* this.#require(transaction);
    this.#state = transaction.state ?? null;
    return yield* factory(transaction);
  }

  *#require(transaction: ReadTransaction): Operation<void> {
    const row = yield* readScope(transaction, this.#place.scopeHash);
    if (row === null || row.id !== this.row.id || row.revision !== this.row.revision) throw new ViewGone();
    if (this.index !== null) yield* requireIndex(transaction, this.index);
  }

  /** Decodes turns. If damaged ones may be skipped, it notes all of them, and the call starts again. */
  toTurns(rows: readonly Row[]): readonly StoredTurn[] {
    const turns = rows.map((row) =>
      this.#damage.readTurn(row[0] as number, () => toStoredTurn(this.row, row))
    ).filter((turn) => turn !== undefined);
    if (turns.length < rows.length) throw new TurnsDamaged();
    return turns;
  }

  /** Whether a turn was read before. */
  has(id: number): boolean {
    return this.#turns.has(id);
  }

  /** Returns a turn that was read before. */
  known(id: number, source: number): StoredTurn {
    return requireSource(this.#turns.get(id) ?? null, source);
  }

  /** Reads a turn that the index names, or returns it if it was read before. */
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

/** A view of which the snapshot is known. */
export class View extends SessionView {
  readonly snapshot: Snapshot;

  /** Creates the view of a first reading. */
  constructor(options: ViewOptions & { readonly reading: Reading }) {
    super(options);
    this.snapshot = options.reading.snapshot;
  }
}

function requireSource(turn: StoredTurn | null, source: number): StoredTurn {
  if (turn !== null && turn.payloadChecksum === source) return turn;
  throw new IntegrityError("A turn has changed since it was indexed", {
    details: { table: "indexed_turns" },
  });
}

const SELECT_INDEX = `SELECT born, retired FROM chunk_indexes WHERE id = $1`;

function* requireIndex(transaction: ReadTransaction, index: IndexRow): Operation<void> {
  const [born, retired] = (yield* transaction.get(SELECT_INDEX, index.id)) ?? [];
  if (born !== index.born || retired !== 0) throw new ViewGone();
}
