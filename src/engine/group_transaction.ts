import type { ClockReading } from "./effective_time.ts";
import {
  allRows,
  type AppliedEvents,
  type DeletionEvent,
  type EventPlace,
  getEach,
  getRow,
  type GroupTime,
  known,
  type LastIds,
  type Operation,
  type RecordedEvent,
  runEach,
  runStatement,
  type StoreFacts,
  type WriteTransaction,
} from "./operation.ts";
import type { Row, SqlValue } from "./values.ts";

/** The state to which a failing member is rewound. */
interface Mark {
  readonly counter: number;
  readonly lastIds: LastIds;
  readonly changed: boolean;
  readonly events: number;
  readonly dirty: readonly string[];
}

/**
 * The state that the members of one group share. The counters, the events and the dirty tables live here until the group
 * commits; a member that fails is rewound.
 */
export class GroupTransaction implements WriteTransaction {
  readonly #clock: ClockReading;
  readonly #facts: StoreFacts;
  readonly #applied: AppliedEvents;
  #time: GroupTime | null = null;
  #counter: number;
  #lastIds: LastIds;
  #changed = false;
  readonly #events: DeletionEvent[] = [];
  readonly #places: EventPlace[] = [];
  #dirty: readonly string[] = [];
  #clockLowered = false;
  #scrubs = 0;
  #shrunkBytes: number | null = null;

  constructor(clock: ClockReading, facts: StoreFacts, applied: AppliedEvents) {
    this.#clock = clock;
    this.#facts = facts;
    this.#applied = applied;
    this.#counter = facts.counter;
    this.#lastIds = facts.lastIds;
  }

  get(sql: string, ...parameters: SqlValue[]): Operation<Row | undefined> {
    return getRow(sql, ...parameters);
  }

  all(sql: string, ...parameters: SqlValue[]): Operation<readonly Row[]> {
    return allRows(sql, ...parameters);
  }

  *run(sql: string, ...parameters: SqlValue[]): Operation<number> {
    const changed = yield* runStatement(sql, ...parameters);
    if (changed > 0) this.#changed = true;
    return changed;
  }

  getEach(sql: string, keys: readonly (readonly SqlValue[])[]): Operation<readonly (Row | undefined)[]> {
    return getEach(sql, keys);
  }

  *runEach(sql: string, rows: readonly (readonly SqlValue[])[]): Operation<readonly number[]> {
    const changed = yield* runEach(sql, rows);
    if (changed.some((count) => count > 0)) this.#changed = true;
    return changed;
  }

  facts(): Operation<StoreFacts> {
    return known(this.#facts);
  }

  headAt(sequence: number): Operation<string | null> {
    return this.#applied.headAt(sequence);
  }

  eventAt(sequence: number): Operation<RecordedEvent | null> {
    return this.#applied.eventAt(sequence);
  }

  eventsOf(keyHash: Uint8Array): Operation<readonly RecordedEvent[]> {
    return this.#applied.eventsOf(keyHash);
  }

  time(): GroupTime {
    this.#time ??= this.#clock.time();
    return this.#time;
  }

  nextRevision(): number {
    this.#changed = true;
    return ++this.#counter;
  }

  nextId(table: keyof LastIds): number {
    this.#changed = true;
    const id = this.#lastIds[table] + 1;
    this.#lastIds = { ...this.#lastIds, [table]: id };
    return id;
  }

  skipRevisions(upTo: number): void {
    if (upTo <= this.#counter) return;
    this.#changed = true;
    this.#counter = upTo;
  }

  deletions(): number {
    return this.#facts.applied + this.#events.length;
  }

  record(event: DeletionEvent): EventPlace {
    this.#changed = true;
    const place = { sequence: 0, head: "", at: 0 };
    this.#events.push(event);
    this.#places.push(place);
    return place;
  }

  noteScrub(shrunkBytes?: number): void {
    this.#changed = true;
    if (shrunkBytes === undefined) this.#scrubs++;
    else this.#shrunkBytes = shrunkBytes;
  }

  lowerClockMark(): number {
    const { behindMs } = this.time();
    if (behindMs > 0) {
      this.#changed = true;
      this.#clockLowered = true;
    }
    return behindMs;
  }

  markDirty(table: string): void {
    if (!this.#dirty.includes(table)) this.#dirty = [...this.#dirty, table];
  }

  /** Returns the clock mark to write, and whether a caller lowered it. */
  nextClockMark(markMs: number): { readonly markMs: number; readonly lowered: boolean } {
    if (this.#time === null) return { markMs, lowered: false };
    const { effectiveMs, behindMs } = this.#time;
    if (this.#clockLowered) return { markMs: effectiveMs - behindMs, lowered: true };
    return { markMs: Math.max(markMs, effectiveMs), lowered: false };
  }

  get counter(): number {
    return this.#counter;
  }

  get lastIds(): LastIds {
    return this.#lastIds;
  }

  /** Whether there is anything to commit. */
  get changed(): boolean {
    return this.#changed;
  }

  /** How many rewrites to add to the count. */
  get scrubs(): number {
    return this.#scrubs;
  }

  /** The size of the file in bytes after pages were returned; null if none were. */
  get shrunkBytes(): number | null {
    return this.#shrunkBytes;
  }

  get events(): readonly DeletionEvent[] {
    return this.#events;
  }

  /** Fills in the places of the recorded events. */
  place(events: readonly RecordedEvent[]): void {
    for (const [index, { sequence, head, at }] of events.entries()) {
      Object.assign(this.#places[index]!, { sequence, head, at });
    }
  }

  get dirty(): readonly string[] {
    return this.#dirty;
  }

  /** Marks the state before a member runs. */
  mark(): Mark {
    return {
      counter: this.#counter,
      lastIds: this.#lastIds,
      changed: this.#changed,
      events: this.#events.length,
      dirty: this.#dirty,
    };
  }

  /** The place of the last event that a member recorded; null if it recorded none. */
  lastPlaceSince(mark: Mark): EventPlace | null {
    return this.#places.length > mark.events ? this.#places.at(-1)! : null;
  }

  /** Undoes what a member changed here. */
  rewind(mark: Mark): void {
    this.#counter = mark.counter;
    this.#lastIds = mark.lastIds;
    this.#changed = mark.changed;
    this.#events.length = mark.events;
    this.#places.length = mark.events;
    this.#dirty = mark.dirty;
  }
}
