/** The port between the store's logic and a database: what every engine does. */

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
  /** Whether `peek` may rely on what this read found of files and ledger; true if omitted. */
  readonly refreshes?: boolean;
  /** Modules that have to be loaded first. */
  readonly needs?: Promise<void> | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** How a write is run. */
export interface WriteOptions {
  /** Whether the operation may record deletions: such members form groups of their own. */
  readonly ledger?: boolean;
  /** About how many bytes it writes. */
  readonly bytes?: number;
  /** Whether it shares its transaction with no other. */
  readonly alone?: boolean;
  /** Modules that have to be loaded first; the write takes its place in the queue at once. */
  readonly needs?: Promise<void> | undefined;
  /** Cancels the write while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** Erases from main the target of an event, whatever its revision. */
export type ApplyEvent = (
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
) => Operation<void>;

/** The module that applies recorded deletions, loaded with the first write. */
export type Applying = LateModule<{ readonly applyEvent: ApplyEvent }>;

/** Checks the rows of a copy of main. */
export type CheckRows = (copy: Pick<Engine, "read">, collector: CheckCollector) => Promise<void>;

/** Removes the remains of deleted content: a database may keep copies in pages and logs that nothing refers to. */
export interface Scrubbing {
  /** How many bytes the live state takes. */
  bytes(): Promise<number>;
  /** Rewrites one dirty table, in a group of its own. */
  rewrite(table: string, signal: AbortSignal | undefined): Promise<void>;
  /** Returns free pages and empties the logs, waiting until the busy timeout; returns what prevented it. */
  finish(signal: AbortSignal | undefined): Promise<"READERS" | "BUSY" | null>;
}

/** The requests that an operation run by `peek` may make. */
export type Peeking = Pick<ReadTransaction, "get" | "all">;

/** One open store, driven by operations. Not every engine has the optional members at the end. */
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
  /** The highest time seen, in milliseconds: for work that continues although the clock throws. */
  highestTimeMs(): number;
  /** Reads one moment of the store, after pending deletions that concern it were completed. */
  read<T>(factory: (transaction: ReadTransaction) => Operation<T>, options?: ReadOptions): Promise<T>;
  /** Queues a change; resolves once it is durable. A factory may be run more than once. */
  write<T>(factory: (transaction: WriteTransaction) => Operation<T>, options?: WriteOptions): Promise<T>;
  /** Returns the place in the history of deletions, after all recorded ones were applied. */
  watermark(): Promise<Watermark>;
  /** Lists recorded deletions that main has not applied yet, up to a limit; a writable store soon has none. */
  pending(): Promise<readonly DeletionEvent[]>;
  /** Verifies the whole chain of events and main's copy of it. */
  verifyLedger(): Promise<boolean>;
  /** Checks what the engine keeps: pages, meta rows, the ledger's chain and main's copy of it. */
  check(collector: CheckCollector): Promise<void>;
  /** Finishes queued writes and closes; further calls return the same promise. */
  close(): Promise<void>;
  /**
   * Runs an operation of one statement at once, if files and ledger were checked within the last milliseconds. Returns
   * undefined if they were not, or if a lock is held: then use `read`. Absent if the engine cannot read without waiting.
   */
  peek?<T extends object | null>(factory: (transaction: Peeking) => Operation<T>): T | undefined;
  /** What only a store in files can do, loaded on first use; absent if the engine has no files. */
  files?(): Promise<EngineFiles>;
  /** Removes deleted content from the medium, loaded on first use; absent if the engine cannot. */
  scrubbing?(): Promise<Scrubbing>;
}
