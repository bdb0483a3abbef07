/** A store operation: a generator that yields SQL and receives rows, driven by an engine. */

import type { Row, SqlValue } from "./values.ts";

/** One statement with its parameters. */
interface SqlRequest {
  /** `get` returns the first row, `all` every row, `run` the number of rows changed. */
  readonly verb: "get" | "all" | "run";
  /** A constant; `$1` and so on stand for the parameters. */
  readonly sql: string;
  /** The values, in order. */
  readonly parameters: readonly SqlValue[];
}

/** One statement, run once for each row of parameters, in order. */
interface EachRequest {
  readonly verb: "getEach" | "runEach";
  readonly sql: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Requests that do not depend on each other's replies. They take effect in this order. */
interface TogetherRequest {
  readonly verb: "together";
  readonly requests: readonly Request[];
}

/** What an operation asks of an engine at once: an engine behind a network answers it in one round trip. */
export type Request = SqlRequest | EachRequest | TogetherRequest;

/** What an engine replies to a request; to several, a list in the same order. */
export type Reply = Row | undefined | number | readonly Reply[] | readonly Row[];

/**
 * The logic of one store operation, written once for every engine. An SQL error is not thrown into it: the engine
 * abandons the operation and rolls back. Callers pass a factory, so that an engine can run the operation again.
 */
export type Operation<T> = Generator<Request, T, Reply>;

/** Yields a statement for its first row. */
export function* getRow(sql: string, ...parameters: SqlValue[]): Operation<Row | undefined> {
  return (yield { verb: "get", sql, parameters }) as Row | undefined;
}

/** Yields a statement for all its rows. */
export function* allRows(sql: string, ...parameters: SqlValue[]): Operation<readonly Row[]> {
  return (yield { verb: "all", sql, parameters }) as readonly Row[];
}

/** Yields a statement for the number of rows it changed. */
export function* runStatement(sql: string, ...parameters: SqlValue[]): Operation<number> {
  return (yield { verb: "run", sql, parameters }) as number;
}

/** Yields a statement once for each key; returns the first row of each. Sends nothing for no keys. */
export function* getEach(
  sql: string,
  keys: readonly (readonly SqlValue[])[],
): Operation<readonly (Row | undefined)[]> {
  if (keys.length === 0) return [];
  return (yield { verb: "getEach", sql, rows: keys }) as readonly (Row | undefined)[];
}

/** Yields a statement once for each row of parameters; returns how many rows each changed. Sends nothing for no rows. */
export function* runEach(
  sql: string,
  rows: readonly (readonly SqlValue[])[],
): Operation<readonly number[]> {
  if (rows.length === 0) return [];
  return (yield { verb: "runEach", sql, rows }) as readonly number[];
}

type Results<Operations extends readonly Operation<unknown>[]> = {
  -readonly [Index in keyof Operations]: Operations[Index] extends Operation<infer T> ? T : never;
};

/**
 * Runs operations side by side: the engine answers what they ask for at the same time in one round trip, so that the
 * whole takes as many as its longest operation. Requests of one round trip take effect in the order of the operations;
 * no operation may read what another one of the list writes.
 */
export function* together<const Operations extends readonly Operation<unknown>[]>(
  operations: Operations,
): Operation<Results<Operations>> {
  const results: unknown[] = [];
  let waiting: number[] = [];
  let requests: Request[] = [];
  const advance = (place: number, step: IteratorResult<Request, unknown>): void => {
    if (step.done === true) {
      results[place] = step.value;
    } else {
      waiting.push(place);
      requests.push(step.value);
    }
  };
  for (let place = 0; place < operations.length; place++) advance(place, operations[place]!.next());
  while (waiting.length > 0) {
    const resumed = waiting;
    const replies = resumed.length === 1
      ? [yield requests[0]!]
      : (yield { verb: "together", requests }) as readonly Reply[];
    waiting = [];
    requests = [];
    for (let at = 0; at < resumed.length; at++) {
      const place = resumed[at]!;
      advance(place, operations[place]!.next(replies[at]));
    }
  }
  return results as Results<Operations>;
}

/** The newest row id that each table was given; tables whose rows others name by their id. */
export interface LastIds {
  readonly scopes: number;
  readonly turns: number;
  readonly chunk_indexes: number;
  readonly journals: number;
}

/** Facts about the store at the moment of a read. */
export interface StoreFacts {
  /** Which ledger and main belong together: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How many recorded deletions were applied. */
  readonly applied: number;
  /** The hash chain up to the last of them. */
  readonly appliedHead: string;
  /** The newest revision of the store-wide counter. */
  readonly counter: number;
  /** The newest row id that each table was given. */
  readonly lastIds: LastIds;
  /** The key of all keyed hashes. */
  readonly hashKey: Uint8Array;
}

/** Finds deletions that main has applied. */
export interface AppliedEvents {
  /** Returns the hash chain up to an event; null if there is no such event. */
  headAt(sequence: number): Operation<string | null>;
  /** Returns one event; null if there is no such event. Throws `INTEGRITY` if it is damaged. */
  eventAt(sequence: number): Operation<RecordedEvent | null>;
  /** Returns the events of one identifier, oldest first. Throws `INTEGRITY` if one is damaged. */
  eventsOf(keyHash: Uint8Array): Operation<readonly RecordedEvent[]>;
}

/** Returns a value that is already known, without a statement. */
// deno-lint-ignore require-yield
export function* known<T>(value: T): Operation<T> {
  return value;
}

/** Reads one moment of the store. */
export interface ReadTransaction extends AppliedEvents {
  /** Identifies the state of main: between two moments with the same object nothing was committed. */
  readonly state?: object;
  /** Yields a statement for its first row. */
  get(sql: string, ...parameters: SqlValue[]): Operation<Row | undefined>;
  /** Yields a statement for all its rows. */
  all(sql: string, ...parameters: SqlValue[]): Operation<readonly Row[]>;
  /** Yields a statement once for each key, as one request; returns the first row of each. */
  getEach(sql: string, keys: readonly (readonly SqlValue[])[]): Operation<readonly (Row | undefined)[]>;
  /** Returns facts about the store; within a group, as they were before the group. */
  facts(): Operation<StoreFacts>;
  /** Effective time, by the clock as it was read before the transaction began. An operation never asks the engine. */
  time(): GroupTime;
}

/** The time of one read, or of one write group: the same for each of its members. */
export interface GroupTime {
  /** Effective time: the clock, or the highest time seen if that is later. Milliseconds since the Unix epoch. */
  readonly effectiveMs: number;
  /** How far the clock is behind the highest time seen; 0 if it is not. */
  readonly behindMs: number;
}

/** Changes the store; all of it is undone if the operation throws. */
export interface WriteTransaction extends ReadTransaction {
  /** Yields a statement for the number of rows it changed. */
  run(sql: string, ...parameters: SqlValue[]): Operation<number>;
  /** Yields a statement once for each row of parameters, as one request; returns how many rows each changed. */
  runEach(sql: string, rows: readonly (readonly SqlValue[])[]): Operation<readonly number[]>;
  /** Effective time, as in a read. Asking for it moves the store's clock mark when the group commits. */
  time(): GroupTime;
  /** The next revision of the store-wide counter; the store never issues one twice. */
  nextRevision(): number;
  /**
   * The id of a table's new row, greater than every earlier one. No id is given twice, also not after the row was deleted
   * or a backup was restored, so that what is left of one row can never be taken for a part of another.
   */
  nextId(table: keyof LastIds): number;
  /** How many deletions the ledger has, with those that the group has recorded so far. */
  deletions(): number;
  /** Keeps the counter from issuing a revision that was imported, or a lower one. */
  skipRevisions(upTo: number): void;
  /**
   * Records a deletion: the engine chains it, writes it to the ledger, and copies it to main. The engine fills in its
   * place before the write resolves.
   */
  record(event: DeletionEvent): EventPlace;
  /** Counts a rewrite of tables, or notes the size of the file in bytes after pages were returned. */
  noteScrub(shrunkBytes?: number): void;
  /** Lowers the store's clock mark to the clock itself; returns by how many milliseconds. */
  lowerClockMark(): number;
  /** Marks a table that lost or replaced content, so that a scrub rewrites it. */
  markDirty(table: string): void;
}

/** One deletion, permanent or until the identifier is used again; the ledger holds only hashes. */
export interface DeletionEvent {
  /** What was deleted. */
  readonly kind: DeletionKind;
  /** Keyed hash of the scope, or of the tenant for a record. */
  readonly scopeHash: Uint8Array;
  /** Keyed hash of the thing itself; the scope's own hash for a scope. */
  readonly keyHash: Uint8Array;
  /** Whether the identifier may never be used again. */
  readonly reserved: boolean;
  /** The revision covered; 0 where there was none. */
  readonly floor: number;
  /** What was erased, as counts. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Further keyed hashes; absent where there are none. Of a turn: of the ids of its messages, which may not come back. Of a
   * subject: of the person whose data the scope or record is from now on. Of an erasure: of its operation id.
   */
  readonly hashes?: readonly Uint8Array[];
}

/** The place of an event in the ledger; filled in when its group is recorded. */
export interface EventPlace {
  sequence: number;
  /** The hash chain up to and including the event. */
  head: string;
  /** Milliseconds since the Unix epoch. */
  at: number;
}

/** The kinds of things whose deletion the ledger records. */
export type DeletionKind = "record" | "scope" | "turn" | "pin" | "journal" | "subject" | "erase";

/** An event as the ledger stores it. */
export interface RecordedEvent extends DeletionEvent {
  /** Its place in the ledger, from 1. */
  readonly sequence: number;
  /** The place of the first event recorded with it: events of one batch are applied together. */
  readonly batch: number;
  /** When, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The hash chain up to and including this event, 64 lower-case hex digits. */
  readonly head: string;
}
