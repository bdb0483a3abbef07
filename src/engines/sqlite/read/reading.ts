import { jitter, monotonicMs, sleep } from "../../../clock.ts";
import { because, StorageError } from "../../../errors.ts";
import {
  BUSY_SLEEP_MS,
  CATCH_UPS_PER_GROUP_MAX,
  GLANCE_MS,
  PENDING_EVENTS_READ_MAX,
} from "../../../limits.ts";
import type { Peeking, ReadOptions } from "../../../engine/engine.ts";
import {
  allRows,
  type DeletionEvent,
  getEach,
  getRow,
  known,
  type Operation,
  type ReadTransaction,
} from "../../../engine/operation.ts";
import { APPLIED_EVENTS } from "../database/applied_events.ts";
import { assertAgreement } from "../database/agreement.ts";
import { type MainMeta, readMainMeta } from "../database/main_meta.ts";
import type { StoreParts } from "../database/store_parts.ts";
import { isBusy } from "../drivers/result_codes.ts";

/** Dependencies of {@linkcode Reading}. */
interface ReadingParts extends Pick<StoreParts, "main" | "ledger" | "time" | "sentinel" | "freshness"> {
  readonly busyTimeoutMs: number;
  readonly readOnly: boolean;
  /** Applies pending deletions, as a write of its own. */
  readonly complete: (signal: AbortSignal | undefined) => Promise<void>;
  /** Throws once the store is closed. */
  readonly assertOpen: () => void;
}

const SELECT_DATA_VERSION = `PRAGMA data_version`;

/** Main's meta row, and what shows whether it is still current. */
interface Remembered {
  readonly dataVersion: number;
  readonly writes: number;
  readonly meta: MainMeta;
}

const PEEKING: Peeking = { get: getRow, all: allRows };

type Factory<T> = (transaction: ReadTransaction) => Operation<T>;

/** Reads as the two-file protocol requires: first a snapshot of main, then the ledger. */
export class Reading {
  readonly #parts: ReadingParts;
  #remembered: Remembered | null = null;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  peek<T extends object | null>(factory: (transaction: Peeking) => Operation<T>): T | undefined {
    const { main, freshness } = this.#parts;
    this.#parts.assertOpen();
    if (monotonicMs() - freshness.lookedAtMs >= GLANCE_MS || main.isBegun) return undefined;
    try {
      return main.drive(factory(PEEKING));
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  async read<T>(factory: Factory<T>, options: ReadOptions): Promise<T> {
    this.#parts.assertOpen();
    options.signal?.throwIfAborted();
    if (options.needs !== undefined) await this.#load(options);
    if (this.#parts.main.isBegun) await this.ended();
    const deadlineMs = monotonicMs() + this.#parts.busyTimeoutMs;
    for (let completions = 0;;) {
      const result = this.#attempt(factory, options);
      if (result.kind === "done") return result.value;
      if (result.kind === "pending" && !this.#parts.readOnly && completions++ < CATCH_UPS_PER_GROUP_MAX) {
        // It waits for locks itself. Afterwards the read is tried again, even if its deadline has passed.
        await this.#parts.complete(options.signal);
      } else {
        if (monotonicMs() >= deadlineMs) throw result.error;
        await sleep(jitter(BUSY_SLEEP_MS.min, BUSY_SLEEP_MS.max));
      }
      this.#parts.assertOpen();
      options.signal?.throwIfAborted();
    }
  }

  /**
   * Waits until the code that drives a transaction has ended, if a call is made from inside it.
   *
   * By the next microtask that code is no longer on the stack.
   */
  async ended(): Promise<void> {
    await undefined;
    this.#parts.assertOpen();
  }

  async #load({ needs, signal }: ReadOptions): Promise<void> {
    await needs;
    this.#parts.assertOpen();
    signal?.throwIfAborted();
  }

  #attempt<T>(
    factory: Factory<T>,
    options: ReadOptions,
  ): { readonly kind: "done"; readonly value: T } | {
    readonly kind: "busy" | "pending";
    readonly error: StorageError;
  } {
    const { main, ledger, time, sentinel } = this.#parts;
    const clock = time.readAhead();
    try {
      main.begin("deferred");
      const state = this.#state();
      const { meta } = state;
      time.observe(meta.clockMark, meta.clockEpoch);
      const value = main.drive(factory({
        get: getRow,
        all: allRows,
        getEach,
        ...APPLIED_EVENTS,
        state,
        facts: () => known(meta),
        time: () => clock.time(),
      }));
      main.commit();
      sentinel?.look(meta.shrunkBytes, () => readMainMeta(main).shrunkBytes);
      const ledgerMeta = ledger.meta();
      assertAgreement(meta, ledger, ledgerMeta);
      // While a deletion is pending every read must check: the next one may concern the deletion's scope.
      const isPending = ledgerMeta.count > meta.applied;
      if (options.refreshes !== false) {
        this.#parts.freshness.lookedAtMs = isPending ? -Infinity : monotonicMs();
      }
      if (isPending && this.#concerns(meta.applied, options.concerns)) {
        return { kind: "pending", error: pendingError(this.#parts.readOnly) };
      }
      return { kind: "done", value };
    } catch (error) {
      const first = main.abandon(error);
      if (isBusy(first)) return { kind: "busy", error: first as StorageError };
      throw first;
    }
  }

  /**
   * Main's meta row, cached until a connection changes the file.
   *
   * The data version reveals the commits of other connections; reading it also starts the snapshot.
   */
  #state(): Remembered {
    const { main } = this.#parts;
    const dataVersion = main.get(SELECT_DATA_VERSION)![0] as number;
    const { writes } = main;
    if (this.#remembered?.dataVersion !== dataVersion || this.#remembered.writes !== writes) {
      this.#remembered = { dataVersion, writes, meta: readMainMeta(main) };
    }
    return this.#remembered;
  }

  #concerns(applied: number, concerns: ((event: DeletionEvent) => boolean) | undefined): boolean {
    const events = this.#parts.ledger.eventsAfter(applied, PENDING_EVENTS_READ_MAX);
    return concerns === undefined || events.length === PENDING_EVENTS_READ_MAX || events.some(concerns);
  }
}

function pendingError(readOnly: boolean): StorageError {
  return readOnly
    ? new StorageError(
      "READONLY",
      "Cannot read: a recorded deletion is pending and the store was opened read-only",
      { details: because("pending") },
    )
    : new StorageError("BUSY", "Cannot read: recorded deletions keep coming in");
}
