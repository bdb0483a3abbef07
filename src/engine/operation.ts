/** What a store operation is: a generator that yields SQL and receives rows, driven by an engine. */

import type { Row, SqlValue } from "./values.ts";

/** One statement to run, with its parameters. */
interface SqlRequest {
  /** `get` for the first row, `all` for every row, `run` for the number of rows changed. */
  readonly verb: "get" | "all" | "run";
  /** A constant; `$1` and so on stand for the parameters. */
  readonly sql: string;
  /** The values, in order. */
  readonly parameters: readonly SqlValue[];
}

/** What an engine answers to a request. */
export type SqlReply = Row | undefined | readonly Row[] | number;

/**
 * The logic of one store operation, written once for every engine. SQL errors are not delivered into it: the engine
 * abandons it and rolls back. It is handed over as a factory, so that it can be run again from the start.
 */
export type Operation<T> = Generator<SqlRequest, T, SqlReply>;

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

/** What the store says of itself at the moment that is read. */
export interface StoreFacts {
  /** Which ledger and main belong together: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How many recorded deletions were applied. */
  readonly applied: number;
  /** The hash chain up to the last of them. */
  readonly appliedHead: string;
  /** The newest revision of the store-wide counter. */
  readonly counter: number;
  /** The key of all keyed hashes. */
  readonly hashKey: Uint8Array;
}

/** Finds deletions that were applied. */
export interface AppliedEvents {
  /** The hash chain up to an event; null where there is none. */
  headAt(sequence: number): Operation<string | null>;
  /** One event; null where there is none. Throws `INTEGRITY` if it is damaged. */
  eventAt(sequence: number): Operation<RecordedEvent | null>;
  /** The events of one identifier, oldest first. Throws `INTEGRITY` if one is damaged. */
  eventsOf(keyHash: Uint8Array): Operation<readonly RecordedEvent[]>;
}

/** Ends with a value that is already known, without a statement. */
// deno-lint-ignore require-yield
export function* known<T>(value: T): Operation<T> {
  return value;
}

/** Reads one moment of the store. */
export interface ReadTransaction extends AppliedEvents {
  /** Stands for what main holds: where two moments have the same one, nothing was committed between them. */
  readonly state?: object;
  /** Yields a statement for its first row. */
  get(sql: string, ...parameters: SqlValue[]): Operation<Row | undefined>;
  /** Yields a statement for all its rows. */
  all(sql: string, ...parameters: SqlValue[]): Operation<readonly Row[]>;
  /** What the store says of itself; within a group, as it was before the group. */
  facts(): Operation<StoreFacts>;
  /** Effective time, by the clock as it was read before the transaction began: an operation never asks the engine. */
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
  /** Effective time, as in a read. Asking for it moves the store's clock mark when the group commits. */
  time(): GroupTime;
  /** The next revision of the store-wide counter, never handed out twice. */
  nextRevision(): number;
  /** Keeps the counter from handing out a revision that came in from elsewhere, or one below it. */
  skipRevisions(upTo: number): void;
  /**
   * Hands a deletion over: the engine chains it, records it in the ledger, and copies it to main. The place it gets is
   * filled in before the write resolves.
   */
  record(event: DeletionEvent): EventPlace;
  /** Counts a rewrite of tables, or notes how many bytes the file had when pages were given back. */
  noteScrub(shrunkBytes?: number): void;
  /** Lowers the store's clock mark to the clock itself; gives by how many milliseconds. */
  lowerClockMark(): number;
  /** Remembers that a table lost or replaced content and is due for a rewrite. */
  markDirty(table: string): void;
}

/** What is deleted for ever or until it is put anew; the ledger holds only hashes of it. */
export interface DeletionEvent {
  /** What kind of thing. */
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
  /** Keyed hashes of the ids of messages that went with a turn and may not come back; absent where there are none. */
  readonly messages?: readonly Uint8Array[];
}

/** Where an event stands in the ledger; filled in when its group is recorded. */
export interface EventPlace {
  sequence: number;
  /** The hash chain up to and including the event. */
  head: string;
  /** Milliseconds since the Unix epoch. */
  at: number;
}

/** The kinds of things whose deletion the ledger records. */
export type DeletionKind = "record" | "scope" | "turn" | "pin";

/** An event as the ledger holds it. */
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
