import { monotonicMs, yieldIfBusy } from "../../clock.ts";
import { IntegrityError, StorageError } from "../../errors.ts";
import { CHAIN_EVENTS_PER_BATCH, PENDING_EVENTS_READ_MAX } from "../../limits.ts";
import { type ChainPlace, verifyChain } from "../../engine/chain.ts";
import { EffectiveTime } from "../../engine/effective_time.ts";
import type {
  Applying,
  Engine,
  EngineSupports,
  Peeking,
  ReadOptions,
  Scrubbing,
  WriteOptions,
} from "../../engine/engine.ts";
import { LateModule } from "../../contracts/late_module.ts";
import type { Watermark } from "../../contracts/watermark.ts";
import type { CheckCollector } from "../../engine/check_collector.ts";
import type { CheckedParts } from "./read/check_store.ts";
import type { Connection } from "./database/connection.ts";
import type { Ledger, LedgerMeta } from "./database/ledger.ts";
import { retryWhileBusy } from "./database/retry_while_busy.ts";
import { isBusy } from "./drivers/result_codes.ts";
import type {
  DeletionEvent,
  GroupTime,
  Operation,
  ReadTransaction,
  WriteTransaction,
} from "../../engine/operation.ts";
import { assertAgreement, verifyTail } from "./database/agreement.ts";
import { type MainMeta, readMainMeta } from "./database/main_meta.ts";
import { Reading } from "./read/reading.ts";
import type { WriteGroups } from "./write/write_group.ts";
import { WriteQueue } from "../../engine/write_queue.ts";
import type { OpenedStore } from "./database/opened_store.ts";
import type { StoreParts } from "./database/store_parts.ts";
import type { SqliteFiles } from "./sqlite_files.ts";

/** Options of an engine. */
interface SqliteEngineOptions {
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  readonly clock: (() => number) | undefined;
  readonly applying: Applying;
}

/** Loaded by the first write, because every module makes every start slower. */
const WRITING = new LateModule(() => import("./write/write_group.ts"));

const CHECKPOINT_TRUNCATE = "PRAGMA wal_checkpoint(TRUNCATE)";

/** Errors at open that leave a deletion pending. Its scope is blocked; the rest of the store is usable. */
const LEAVES_PENDING: ReadonlySet<string> = new Set(["BUSY", "FULL", "READONLY"]);

/** The engine on SQLite: one connection to main and one to the ledger, both driven synchronously. */
export class SqliteEngine implements Engine {
  readonly supports: EngineSupports;
  readonly readOnly: boolean;
  readonly hashKey: Uint8Array;
  readonly lineage: string;
  readonly generation: number;
  readonly epoch: string;
  readonly #store: OpenedStore;
  readonly #busyTimeoutMs: number;
  readonly #time: EffectiveTime;
  readonly #parts: Omit<StoreParts, "apply">;
  readonly #applying: Applying;
  #groups: WriteGroups | null = null;
  /** Sequence of the event up to which the chain was verified at open. */
  #verified = 0;
  readonly #queue: WriteQueue;
  readonly #reading: Reading;
  #closing: Promise<void> | null = null;

  private constructor(store: OpenedStore, options: SqliteEngineOptions, meta: MainMeta) {
    const { main, ledger, sentinel, journalMode } = store;
    const { readOnly, busyTimeoutMs, clock, applying } = options;
    this.#store = store;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.readOnly = readOnly;
    this.hashKey = meta.hashKey;
    this.lineage = meta.lineage;
    this.generation = meta.generation;
    this.epoch = meta.epoch;
    this.supports = { readersNeverWait: journalMode !== "delete", durable: journalMode !== "memory" };
    this.#time = new EffectiveTime(clock);
    this.#time.observe(meta.clockMark, meta.clockEpoch);
    this.#applying = applying;
    this.#parts = {
      main,
      ledger,
      sentinel,
      time: this.#time,
      freshness: { lookedAtMs: -Infinity },
      exclusive: journalMode === "delete",
      announces: journalMode === "wal",
    };
    const assertOpen = (): void => this.#assertOpen();
    this.#queue = new WriteQueue((members) => this.#writing().run(members), busyTimeoutMs, assertOpen);
    this.#reading = new Reading({
      ...this.#parts,
      readOnly,
      busyTimeoutMs,
      complete: (signal) => this.#complete(signal),
      assertOpen,
    });
  }

  /** Starts an engine: verifies the ledger's tail and new events, and applies pending deletions. */
  static async start(store: OpenedStore, options: SqliteEngineOptions): Promise<SqliteEngine> {
    const deadlineMs = monotonicMs() + options.busyTimeoutMs;
    // Verified before the ledger is relied on, as finishing a restore does.
    await retryWhileBusy(deadlineMs, () => verifyTail(store.main, store.ledger));
    let meta = await retryWhileBusy(deadlineMs, () => readMainMeta(store.main));
    if (meta.pendingFrom !== null && !options.readOnly) {
      const [{ finishSwitch }] = await Promise.all([
        import("./write/switch_store.ts"),
        options.applying.load(),
      ]);
      const parts = {
        clock: new EffectiveTime(options.clock).readAhead(),
        apply: options.applying.module.applyEvent,
      };
      await retryWhileBusy(deadlineMs, () => finishSwitch(store, parts));
      meta = await retryWhileBusy(deadlineMs, () => readMainMeta(store.main));
    }
    // Main is read first: the ledger may advance meanwhile, and is never behind main.
    const ledgerMeta = await retryWhileBusy(deadlineMs, () => agreeingMeta(store.ledger, meta));
    const engine = new SqliteEngine(store, options, meta);
    await engine.#verifyChain(meta.verified, ledgerMeta, deadlineMs);
    if (ledgerMeta.count > meta.applied) await engine.#completeIfPossible();
    return engine;
  }

  time(): GroupTime {
    return this.#time.read();
  }

  highestTimeMs(): number {
    return this.#time.highestMs;
  }

  peek<T extends object | null>(factory: (transaction: Peeking) => Operation<T>): T | undefined {
    return this.#reading.peek(factory);
  }

  read<T>(factory: (transaction: ReadTransaction) => Operation<T>, options: ReadOptions = {}): Promise<T> {
    return this.#reading.read(factory, options);
  }

  async write<T>(
    factory: (transaction: WriteTransaction) => Operation<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    this.#assertOpen();
    if (this.readOnly) throw new StorageError("READONLY", "Cannot write: the store was opened read-only");
    const { ledger = false, bytes = 0, alone = false, signal } = options;
    const needs = [options.needs, ...this.#loadWriting()];
    return await this.#queue.add(factory, { ledger, bytes, alone, needs, signal });
  }

  #loadWriting(): readonly (Promise<void> | undefined)[] {
    return this.#groups === null ? [WRITING.load(), this.#applying.load()] : [];
  }

  #writing(): WriteGroups {
    this.#groups ??= new WRITING.module.WriteGroups(
      { ...this.#parts, apply: this.#applying.module.applyEvent },
      this.#verified,
    );
    return this.#groups;
  }

  watermark(): Promise<Watermark> {
    return this.#reading.read(readWatermark, {});
  }

  async pending(): Promise<readonly DeletionEvent[]> {
    this.#assertOpen();
    const { main, ledger } = this.#store;
    if (main.isBegun) await this.#reading.ended();
    return await retryWhileBusy(
      monotonicMs() + this.#busyTimeoutMs,
      () => ledger.eventsAfter(readMainMeta(main).applied, PENDING_EVENTS_READ_MAX),
    );
  }

  async check(collector: CheckCollector): Promise<void> {
    this.#assertOpen();
    const [{ isDamage }, { checkStore }] = await Promise.all([
      import("../../engine/check_collector.ts"),
      import("./read/check_store.ts"),
    ]);
    try {
      await this.#completeIfPossible();
    } catch (error) {
      // A deletion that cannot be applied now stays pending, and the rest can still be checked.
      if (isDamage(error)) collector.caught("main", "meta", error);
      else if (!(error instanceof StorageError) || error.code === "CLOSED") throw error;
    }
    await checkStore(this.#checkedParts(), collector);
  }

  async verifyLedger(): Promise<boolean> {
    this.#assertOpen();
    const [{ CheckCollector }, { checkChain }] = await Promise.all([
      import("../../engine/check_collector.ts"),
      import("./read/check_store.ts"),
    ]);
    const collector = new CheckCollector({});
    await checkChain(this.#checkedParts(), collector);
    return collector.report().ok;
  }

  #checkedParts(): CheckedParts {
    const { main, ledger } = this.#store;
    const read = <T>(call: () => T): Promise<T> =>
      retryWhileBusy(monotonicMs() + this.#busyTimeoutMs, () => {
        this.#assertOpen();
        return call();
      });
    return { main, ledger, read };
  }

  async files(): Promise<SqliteFiles> {
    const { SqliteFiles } = await import("./sqlite_files.ts");
    return new SqliteFiles({
      engine: this,
      store: this.#store,
      time: this.#time,
      busyTimeoutMs: this.#busyTimeoutMs,
      completeIfPossible: () => this.#completeIfPossible(),
      assertOpen: () => this.#assertOpen(),
    });
  }

  async scrubbing(): Promise<Scrubbing> {
    const { SqliteScrubbing } = await import("./write/scrubbing.ts");
    const { main, ledger } = this.#store;
    return new SqliteScrubbing({
      engine: this,
      connections: [main, ledger.connection],
      busyTimeoutMs: this.#busyTimeoutMs,
      emptyLog: (connection) => this.#emptyLog(connection),
      ended: async () => {
        if (main.isBegun) await this.#reading.ended();
      },
      assertOpen: () => this.#assertOpen(),
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.idle();
    try {
      if (this.supports.durable && !this.readOnly) this.#truncateLogs();
    } finally {
      this.#store.close();
    }
  }

  /**
   * Empties the logs, one file at a time, with no transaction open. A reader in any process may prevent that; then
   * the logs stay.
   */
  #truncateLogs(): void {
    for (const connection of [this.#store.main, this.#store.ledger.connection]) {
      if (connection.writes === 0) continue;
      try {
        this.#emptyLog(connection);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
      }
    }
  }

  /**
   * Empties a file's log, unless the file has lost its name: the log's content would be lost with it. SQLite's own
   * close checks this, too.
   */
  #emptyLog(connection: Connection): "READERS" | "BUSY" | null {
    this.#store.sentinel?.assertNames();
    return emptyLog(connection);
  }

  /** Verifies the chain in batches, so that a long ledger does not block the event loop. */
  async #verifyChain(from: number, meta: LedgerMeta, deadlineMs: number): Promise<void> {
    const { ledger } = this.#store;
    const head = await retryWhileBusy(deadlineMs, () => ledger.headAt(from, meta));
    let place: ChainPlace = { sequence: from, head: head ?? "" };
    const { count } = meta;
    while (place.sequence < count) {
      const { sequence } = place;
      const events = await retryWhileBusy(
        deadlineMs,
        () => ledger.eventsAfter(sequence, CHAIN_EVENTS_PER_BATCH),
      );
      if (events.length === 0) {
        throw new IntegrityError("Cannot use ledger: events are missing", { details: { sequence } });
      }
      place = verifyChain(events, place);
      if (place.sequence < count) await yieldIfBusy();
    }
    this.#verified = place.sequence;
  }

  async #completeIfPossible(): Promise<void> {
    if (this.readOnly) return;
    try {
      await this.#complete(undefined);
    } catch (error) {
      if (error instanceof StorageError && LEAVES_PENDING.has(error.code)) return;
      throw error;
    }
  }

  /** Runs a group that changes nothing: every group first applies what is pending. */
  async #complete(signal: AbortSignal | undefined): Promise<void> {
    await this.#queue.add(nothing, { ledger: false, bytes: 0, needs: this.#loadWriting(), signal });
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new StorageError("CLOSED", "The store was closed");
  }
}

/** Reads the ledger's meta row, which must agree with main's. */
function agreeingMeta(ledger: Ledger, main: MainMeta): LedgerMeta {
  const meta = ledger.meta();
  assertAgreement(main, ledger, meta);
  return meta;
}

/**
 * Copies a file's log into it and empties it; returns what prevented that, or null. A rollback journal is not a log.
 */
function emptyLog(connection: Connection): "READERS" | "BUSY" | null {
  try {
    return connection.get(CHECKPOINT_TRUNCATE)?.[0] === 1 ? "READERS" : null;
  } catch (error) {
    if (isBusy(error)) return "BUSY";
    throw error;
  }
}

function* readWatermark(transaction: ReadTransaction): Operation<Watermark> {
  const { lineage, applied, appliedHead } = yield* transaction.facts();
  return { lineage, sequence: applied, head: appliedHead };
}

const SELECT_NOTHING = `SELECT 1`;

function* nothing(transaction: WriteTransaction): Operation<void> {
  yield* transaction.get(SELECT_NOTHING);
}
