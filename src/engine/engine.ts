/** The port between the store's logic and a database: what every engine does, whatever it runs on. */

import type { LateModule } from "../contracts/late_module.ts";
import type { Watermark } from "../contracts/watermark.ts";
import type { CheckCollector } from "./check_collector.ts";
import type { EngineFiles } from "./engine_files.ts";
import type {
  DeletionEvent,
  GroupTime,
  Operation,
  ReadTransaction,
  RecordedEvent,
  WriteTransaction,
} from "./operation.ts";

/** What an engine can do, as data. */
export interface EngineSupports {
  /** Whether reads never wait for writers of other processes. */
  readonly readersNeverWait: boolean;
  /** Whether the store outlives its process. */
  readonly durable: boolean;
}

/** How a read is run. */
export interface ReadOptions {
  /** Whether a pending deletion concerns what is read, so that it must be completed first; by default each does. */
  readonly concerns?: (event: DeletionEvent) => boolean;
  /** Code that is still being loaded, and has to be there first. */
  readonly needs?: Promise<void> | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** How a write is run. */
export interface WriteOptions {
  /** Whether the operation may hand over deletions: such members form groups of their own. */
  readonly ledger?: boolean;
  /** About how many bytes it writes. */
  readonly bytes?: number;
  /** Whether it shares its transaction with no other. */
  readonly alone?: boolean;
  /** Code that is still being loaded, and has to be there first; the place in the queue is taken at once. */
  readonly needs?: Promise<void> | undefined;
  /** Withdraws the write while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** Erases in main what an event says, whatever incarnation it finds. */
export type ApplyEvent = (
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
) => Operation<void>;

/** How recorded deletions are applied: code that is loaded with the first write. */
export type Applying = LateModule<{ readonly applyEvent: ApplyEvent }>;

/** Looks through the rows of a copy of main. */
export type CheckRows = (copy: Pick<Engine, "read">, collector: CheckCollector) => Promise<void>;

/** Removes the remains of deleted content: a database may keep copies in pages and logs that nothing refers to. */
export interface Scrubbing {
  /** How many bytes the live state takes. */
  bytes(): Promise<number>;
  /** Rewrites one table that is due for it, in a group of its own. */
  rewrite(table: string, signal: AbortSignal | undefined): Promise<void>;
  /** Returns free pages and empties the logs, waiting until the busy timeout; says what stood in the way. */
  finish(signal: AbortSignal | undefined): Promise<"READERS" | "BUSY" | null>;
}

/** What an operation that is peeked at may ask. */
export type Peeking = Pick<ReadTransaction, "get" | "all">;

/** One open store, driven by operations. What is optional at its end not every engine can do. */
export interface Engine {
  readonly supports: EngineSupports;
  readonly readOnly: boolean;
  /** The key of all keyed hashes. */
  readonly hashKey: Uint8Array;
  /** Which ledger and main belong together. */
  readonly lineage: string;
  /** How often the lineage was restored. */
  readonly generation: number;
  /** Which main the ledger takes for live. */
  readonly epoch: string;
  /** Effective time; reads the caller's clock, so an operation asks its transaction instead. */
  time(): GroupTime;
  /** The highest time seen, in milliseconds: for what must go on although the clock broke. */
  highestTimeMs(): number;
  /** Reads one moment of the store, once what is pending and concerns it was completed. */
  read<T>(factory: (transaction: ReadTransaction) => Operation<T>, options?: ReadOptions): Promise<T>;
  /** Queues a change; resolves once it is durable. A factory may be run more than once. */
  write<T>(factory: (transaction: WriteTransaction) => Operation<T>, options?: WriteOptions): Promise<T>;
  /** What was deleted so far, with everything recorded applied. */
  watermark(): Promise<Watermark>;
  /** Recorded deletions that main has not carried out yet, up to a bound; a store that can be written has none for long. */
  pending(): Promise<readonly DeletionEvent[]>;
  /** Verifies the whole chain of events and main's copy of it. */
  verifyLedger(): Promise<boolean>;
  /** Checks what the engine keeps: pages, meta rows, the ledger's chain and main's copy of it. */
  check(collector: CheckCollector): Promise<void>;
  /** Drains queued writes and closes; further calls give the same promise. */
  close(): Promise<void>;
  /**
   * Runs an operation of one statement at once, where files and ledger were looked at a few milliseconds ago; undefined
   * where they were not or a lock is held: then `read` answers. Absent where the engine cannot read without waiting.
   */
  peek?<T extends object | null>(factory: (transaction: Peeking) => Operation<T>): T | undefined;
  /** What only a store in files can do, loaded on first use; absent where the engine has none. */
  files?(): Promise<EngineFiles>;
  /** How content that was deleted is removed from the medium, loaded on first use; absent where the engine cannot. */
  scrubbing?(): Promise<Scrubbing>;
}
