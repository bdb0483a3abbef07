/** The port between the store's logic and a database: what every engine does, whatever it runs on. */

import type { LateModule } from "../contracts/late_module.ts";
import type { Watermark } from "../contracts/watermark.ts";
import type { CheckCollector } from "./check_collector.ts";
import type {
  DeletionEvent,
  GroupTime,
  Operation,
  ReadTransaction,
  RecordedEvent,
  WriteTransaction,
} from "./operation.ts";
import type { Row, SqlValue } from "./values.ts";
import type { Works } from "./works_list.ts";

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

/** Where a file of a store stands: which one it is, and what was deleted so far. */
export interface StorePlace {
  /** Which ledger and main belong together: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How often the lineage was restored. */
  readonly generation: number;
  /** Which main is live: 32 lower-case hex digits. */
  readonly epoch: string;
  /** Which deletions it has. */
  readonly watermark: Watermark;
}

/** How a file is copied. */
export interface CopyOptions {
  /** Cancels between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Told how many rows of a table were copied so far. */
  readonly onRows?: ((table: string, rows: number) => void) | undefined;
}

/** Erases in main what an event says, whatever incarnation it finds. */
export type ApplyEvent = (
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
) => Operation<void>;

/** How recorded deletions are applied: code that is loaded with the first write. */
export type Applying = LateModule<{ readonly applyEvent: ApplyEvent }>;
/** Runs one step of a change of a copy, and lets other work run. */
export type CopyStep = <T>(factory: (transaction: WriteTransaction) => Operation<T>) => Promise<T>;

/** Looks through the rows of a copy of main. */
export type CheckRows = (copy: Pick<Engine, "read">, collector: CheckCollector) => Promise<void>;

/** One open store, driven by operations. */
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
  /** Where files of this store are being made. */
  works(): Promise<Works>;
  /** Effective time; reads the caller's clock, so an operation asks its transaction instead. */
  time(): GroupTime;
  /** The highest time seen, in milliseconds: for what must go on although the clock broke. */
  highestTimeMs(): number;
  /**
   * One row at once, if files and ledger were looked at a few milliseconds ago; undefined if they were not or a lock is
   * held, null if there is no such row.
   */
  glance(sql: string, parameters: readonly SqlValue[]): Row | null | undefined;
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
  /** Empties the logs of both files into them, waiting for readers until the busy timeout; says what stood in the way. */
  emptyLogs(signal?: AbortSignal): Promise<"READERS" | "BUSY" | null>;
  /** Checks what the engine keeps: pages, meta rows, the ledger's chain and main's copy of it. */
  check(collector: CheckCollector): Promise<void>;
  /** Copies a file as it is at one moment, everything recorded applied, into an empty private file; says where it stands. */
  copy(file: "main" | "ledger", path: string, options: CopyOptions): Promise<StorePlace>;
  /** Changes a copy of main in one transaction, step by step; nothing of what it erases remains in the file. */
  changeCopy(path: string, change: (step: CopyStep) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** Looks through a copy as `check` does through the store, without the ledger; what is damaged goes to the collector. */
  checkCopy(
    file: "main" | "ledger",
    path: string,
    collector: CheckCollector,
    checkRows: CheckRows,
  ): Promise<void>;
  /** Drains queued writes and closes; further calls give the same promise. */
  close(): Promise<void>;
}
