import { monotonicMs } from "./clock.ts";
import { readFields, requireBoolean, requireInteger, requireSignal } from "./contracts/arguments.ts";
import type { BackupOptions, BackupReport, RestoreOptions, RestoreReport } from "./contracts/backup.ts";
import type { CheckOptions, CheckReport } from "./contracts/check.ts";
import type { Inspection, InspectOptions } from "./contracts/inspection.ts";
import type { ExportLinesOptions, ImportLinesOptions, ImportReport, Lines } from "./contracts/lines.ts";
import type { MemoryEvent, MemoryOptions, Tell } from "./contracts/memory_options.ts";
import type { PruneOptions, PruneReport, Receipt, ReceiptReport } from "./contracts/receipt.ts";
import { collectKinds, type RecordKind } from "./contracts/record_kind.ts";
import { type Scope, toScope } from "./contracts/scope.ts";
import { Conversation } from "./conversations/conversation.ts";
import type { ScopeLimits } from "./conversations/put_turn.ts";
import { EffectiveTime } from "./engine/effective_time.ts";
import type { Engine, Watermark } from "./engine/engine.ts";
import type { SqliteDriver } from "./engine/sqlite/driver.ts";
import { nodeSqlite } from "./engine/sqlite/node_sqlite.ts";
import { type OpenedStore, openStoreInMemory, openStoreOnDisk } from "./engine/sqlite/open_store.ts";
import { SqliteEngine } from "./engine/sqlite/sqlite_engine.ts";
import { ContractError } from "./errors.ts";
import { type FilePath, MEMORY_PATH, parseFilePath, parsePath } from "./files/store_path.ts";
import {
  BUSY_TIMEOUT_MS_DEFAULT,
  BUSY_TIMEOUT_MS_MAX,
  KINDS_MAX,
  SCOPE_BYTES_DEFAULT,
  SCOPE_BYTES_MAX,
  SCOPE_TURNS_DEFAULT,
  SCOPE_TURNS_MAX,
} from "./limits.ts";
import { LateModule } from "./late_module.ts";
import { Records } from "./records/records.ts";

// What a program that opens a store and reads a record does not need is imported when it is first called: every module
// counts at every start.
const APPLYING = new LateModule(() => import("./apply_event.ts"));

/**
 * One open store: harness records in one database file, with a ledger of deletions beside it. Get one from
 * {@linkcode openMemory}.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * assert.equal((await memory.check()).ok, true);
 * ```
 */
export class Memory implements AsyncDisposable {
  /** Checkpoints, facts, and further kinds. */
  readonly records: Records;
  /** What a restore erased again, and which files it fenced; null in a store that was opened. */
  readonly restored: RestoreReport | null;
  readonly #engine: Engine;
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #limits: ScopeLimits;
  readonly #tell: Tell;

  /** Made by {@linkcode openMemory} and {@linkcode restoreMemory}. */
  constructor(
    engine: Engine,
    { kinds, limits, tell, restored }: {
      readonly kinds: ReadonlyMap<string, RecordKind>;
      readonly limits: ScopeLimits;
      readonly tell: Tell;
      readonly restored: RestoreReport | null;
    },
  ) {
    this.#engine = engine;
    this.#kinds = kinds;
    this.#limits = limits;
    this.#tell = tell;
    this.restored = restored;
    this.records = new Records(engine, kinds, tell);
  }

  /**
   * A scope's turns, pins, summary and replays. Nothing is read or written yet.
   *
   * @throws {ContractError} naming the field
   */
  conversation(scope: Scope): Conversation {
    return new Conversation(this.#engine, toScope(scope), { limits: this.#limits, tell: this.#tell });
  }

  /**
   * Erases what has expired in every scope and for every tenant and what is left of indexes that made room for others,
   * finishes pending deletions, and scrubs the files. Runs in bounded groups, between which other calls run; while one
   * table is rewritten, the process stands still.
   *
   * @throws {ContractError} naming the option
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   */
  async prune(options: PruneOptions = {}): Promise<PruneReport> {
    const startedMs = monotonicMs();
    const { prune } = await import("./prune.ts");
    const report = await prune(this.#engine, options);
    this.#tell(
      {
        operation: "prune",
        counts: {
          ...report.expired,
          retiredIndexes: report.retiredIndexes,
          tables: report.scrub?.tables ?? 0,
        },
      },
      startedMs,
    );
    return report;
  }

  /**
   * Looks at a receipt again: recomputes the whole chain, finds the event, and looks in every table for what remains.
   *
   * @throws {ContractError} if it is no receipt
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `CLOSED`
   */
  async verifyReceipt(receipt: Receipt): Promise<ReceiptReport> {
    const { verifyReceipt } = await import("./deletion/verify_receipt.ts");
    return await verifyReceipt(this.#engine, receipt);
  }

  /**
   * Looks through the whole store: pages, checksums, record bodies, the ledger's chain. Reads in batches, between
   * which other work runs.
   *
   * @returns what is damaged; damage is reported, not thrown
   * @throws {ContractError} naming the option that is wrong
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `CLOSED`
   */
  async check(options: CheckOptions = {}): Promise<CheckReport> {
    const startedMs = monotonicMs();
    const given = readFields("options", options, ["signal", "onProgress"]);
    requireSignal(given.signal);
    const [{ CheckCollector }, { checkRecords }, { checkConversations }] = await Promise.all([
      import("./engine/check.ts"),
      import("./records/check.ts"),
      import("./conversations/check.ts"),
    ]);
    const collector = new CheckCollector(options);
    await this.#engine.check(collector);
    await checkRecords(this.#engine, this.#kinds, collector);
    await checkConversations(this.#engine, collector);
    const report = collector.report();
    this.#tell({ operation: "check", counts: { problems: report.problems.length } }, startedMs);
    return report;
  }

  /**
   * The place up to which deletions are recorded and applied. Keep it apart from the store: a restore can then be held
   * to a ledger that has at least these.
   *
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `READONLY`, `CLOSED`
   */
  deletionWatermark(): Promise<Watermark> {
    return this.#engine.watermark();
  }

  /**
   * Copies the store, as it is at one moment, into one private file; other writers go on and do not make it start over.
   * The file is made under another name (with `.partial` appended), looked through, synced, and only then gets its own.
   * What can be made again, indexes and replays, is left out, and so is every trace of what was deleted.
   *
   * @param destination where nothing is yet
   * @returns what it holds; keep its watermark, or a later one, apart from the store
   * @throws {ContractError} naming what is wrong
   * @throws {StorageError} `EXISTS`, `BUSY`, `PERMISSION`, `UNSAFE`, `FULL`, `IO`, `REPLACED`, `CLOSED`
   * @throws {IntegrityError} if the store is damaged: a copy could not be restored
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * const directory = await Deno.makeTempDir();
   * await using memory = await openMemory(`${directory}/agent.db`);
   * await memory.conversation({ tenantId: "orchard", sessionId: "spring" }).append([{ role: "user", content: "Hi." }]);
   * const { watermark } = await memory.backup(`${directory}/agent.backup`);
   * assert.deepEqual(watermark, await memory.deletionWatermark());
   * ```
   */
  async backup(destination: string | URL, options: BackupOptions = {}): Promise<BackupReport> {
    return await this.#backUp("store", destination, options);
  }

  /**
   * Copies the deletion ledger into one private file, in the same way. It holds hashes and counts, no text. A restore can
   * use it if the ledger itself is lost; deletions that came later are missing in it.
   *
   * @param destination where nothing is yet
   * @throws {ContractError} naming what is wrong
   * @throws {StorageError} as {@linkcode Memory.backup}
   * @throws {IntegrityError} if the ledger is damaged
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * const directory = await Deno.makeTempDir();
   * await using memory = await openMemory(`${directory}/agent.db`);
   * assert.equal((await memory.exportLedger(`${directory}/agent.ledger`)).of, "ledger");
   * ```
   */
  async exportLedger(destination: string | URL, options: BackupOptions = {}): Promise<BackupReport> {
    return await this.#backUp("ledger", destination, options);
  }

  async #backUp(
    of: BackupReport["of"],
    destination: string | URL,
    options: BackupOptions,
  ): Promise<BackupReport> {
    const startedMs = monotonicMs();
    const { backUp } = await import("./backup.ts");
    const report = await backUp(this.#engine, of, destination, options, this.#kinds);
    const operation = of === "store" ? "backup" : "exportLedger";
    this.#tell({ operation, counts: { bytes: report.bytes } }, startedMs);
    return report;
  }

  /**
   * Looks over the store, a page at a time: tenants with records, then scopes, with counts, bytes, and when something is
   * next due. No text is read.
   *
   * @throws {ContractError} naming the option
   * @throws {IntegrityError} if a scope's row is damaged
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "orchard", sessionId: "spring" };
   * await memory.conversation(scope).append([{ role: "user", content: "Which trees were grafted?" }]);
   * const { scopes, next } = await memory.inspect();
   * assert.deepEqual(scopes.map(({ scope, turns }) => [scope.sessionId, turns]), [["spring", 1]]);
   * assert.equal(next, null);
   * ```
   */
  async inspect(options: InspectOptions = {}): Promise<Inspection> {
    const { inspect } = await import("./inspect.ts");
    return await inspect(this.#engine, options);
  }

  /**
   * The store, or one scope, as JSON Lines: a header, then records, scopes, turns, summaries and pins, and a closing line
   * with counts and a digest. Each line ends with a line feed. Without `includeContent` it shows ids, revisions, counts
   * and bytes, and cannot be imported. What has expired, replays, indexes, operation ids and tombstones are left out.
   *
   * Read in pages, with other calls in between. Each scope is as it was at one moment, however busy it is; only one
   * larger than the default limit ends the export with `SNAPSHOT` if it changes while it is read.
   *
   * @throws {ContractError} naming the option
   * @throws {ConflictError} `SNAPSHOT`; for one scope `MISSING`, `DELETED`
   * @throws {IntegrityError} if what is read is damaged
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "orchard", sessionId: "spring" };
   * await memory.conversation(scope).append([{ role: "user", content: "Which trees were grafted?" }]);
   * const outline = await Array.fromAsync(memory.exportLines({ scope }));
   * assert.deepEqual(outline.map((line) => JSON.parse(line).type), ["header", "scope", "turn", "end"]);
   * assert(!outline.join("").includes("grafted"));
   * ```
   */
  async *exportLines(options: ExportLinesOptions = {}): AsyncIterable<string> {
    const { exportLines } = await import("./lines/export_lines.ts");
    yield* exportLines(this.#engine, options);
  }

  /**
   * Brings in what `exportLines({ includeContent: true })` wrote: text of whole lines, or the bytes of a file in pieces.
   * Every line is judged as a put would be, and written only where nothing is: nothing is overwritten, and nothing that
   * was deleted here comes back. Turns, pins and records keep their own revisions and times; a scope's revision moves, as
   * with every change.
   *
   * Written in groups. After an error or an abort, what came before stays; importing the same lines again goes on where
   * it ended, and changes nothing where it was done.
   *
   * @returns what became of each line
   * @throws {ContractError} naming the field, with `details.line`; for lines that were cut off or changed, once the rest
   * is in
   * @throws {ConflictError} `CAPACITY`, with `details.line`
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using from = await openMemory(":memory:");
   * await using to = await openMemory(":memory:");
   * const scope = { tenantId: "orchard", sessionId: "spring" };
   * await from.conversation(scope).append([{ role: "user", content: "Which trees were grafted?" }]);
   * const lines = await Array.fromAsync(from.exportLines({ includeContent: true }));
   * assert.equal((await to.importLines(lines)).imported.turns, 1);
   * assert.equal((await to.importLines(lines)).unchanged.turns, 1);
   * ```
   */
  async importLines(lines: Lines, options: ImportLinesOptions = {}): Promise<ImportReport> {
    const startedMs = monotonicMs();
    const { importLines } = await import("./lines/import_lines.ts");
    const target = { engine: this.#engine, kinds: this.#kinds, limits: this.#limits, tell: this.#tell };
    const report = await importLines(target, lines, options);
    this.#tell({ operation: "import", counts: { ...report.imported } }, startedMs);
    return report;
  }

  /**
   * Waits for queued writes, at most until each one's busy timeout, and closes the files. Repeating it is harmless;
   * every other call after it rejects with `CLOSED`.
   */
  async close(): Promise<void> {
    const startedMs = monotonicMs();
    await this.#engine.close();
    this.#tell({ operation: "close", counts: {} }, startedMs);
  }

  /** The same as {@linkcode Memory.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens a store, and creates it if it is not there. The file, its ledger and their sidecars are private (0600);
 * anything else under their names is refused. Needs `--allow-read` and `--allow-write` for the directory.
 *
 * @param path a file, or `:memory:` for a store that ends with its process
 * @throws {ContractError} naming the option that is wrong
 * @throws {StorageError} `PERMISSION` naming the flag, `UNSAFE`, `SCHEMA`, `RESTORE`, `REPLACED`, `READONLY`, `BUSY`,
 * `CORRUPT`, `FULL`, `IO`
 * @throws {IntegrityError} if store and ledger do not belong together
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const fact = { schema: 1, text: "Prefers lists.", source: "chat-7", reviewed: false } as const;
 * const identity = { tenant: "orchard", kind: "fact", key: "preference" } as const;
 * await memory.records.put(identity, fact, { expected: null, ttl: 3_600 });
 * assert.equal((await memory.records.get(identity))?.value.text, "Prefers lists.");
 * ```
 */
export async function openMemory(path: string | URL, options: MemoryOptions = {}): Promise<Memory> {
  const startedMs = monotonicMs();
  const given = readOptions(options);
  // A clock that tells no time is told before any effect.
  new EffectiveTime(given.clock).read();
  const store = path === MEMORY_PATH
    ? await openInMemory(given)
    : await openStoreOnDisk(filePaths(path, given), {
      ...given,
      backupBeforeUpgrade: await upgradeBackup(given),
    });
  return await startMemory(store, given, { restored: null, startedMs });
}

/**
 * Restores a backup to a place where nothing is yet, and opens it. Every deletion that the ledger has recorded since is
 * applied first, so that nothing comes back. One commit to the ledger then makes the restored store live and fences the
 * one before it, which answers `REPLACED` from then on; until that commit nothing has changed, and a restore that is
 * interrupted is begun anew by calling this again. Summaries, replays and indexes are not restored, and revisions given
 * from now on lie in a range of their own.
 *
 * @param backup a file that `backup()` made, or the main file of a store that was closed
 * @param destination where nothing is yet: move the old store's main file and its `-wal` and `-shm` away first, or
 * choose another name; leave the ledger where it is
 * @returns the open store, whose `restored` says what was done; open it later with the same `deletionPath`
 * @throws {ContractError} naming the option that is wrong
 * @throws {StorageError} `EXISTS`, `UNSAFE`, `SCHEMA`, `CORRUPT`, `BUSY`, `REPLACED` where another restore was faster,
 * `PERMISSION`, `FULL`, `IO`; with `details.outcome: "unknown"` the next opening or restore decides
 * @throws {IntegrityError} if the backup is damaged, or the ledger is missing, damaged, of another store, or older than
 * the backup or the watermark
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, restoreMemory } from "@holdfast/memory";
 *
 * const directory = await Deno.makeTempDir();
 * const deletionPath = `${directory}/agent.db.deletions`;
 * const memory = await openMemory(`${directory}/agent.db`);
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const { turnId, revision } = await talk.append([{ role: "user", content: "My door code is 4711." }]);
 * await memory.backup(`${directory}/agent.backup`);
 * await talk.delete({ kind: "turn", key: turnId, expectedRevision: revision });
 * const watermark = await memory.deletionWatermark();
 * await memory.close();
 *
 * await using restored = await restoreMemory(`${directory}/agent.backup`, `${directory}/restored.db`, {
 *   deletionPath,
 *   watermark,
 * });
 * assert.equal(restored.restored?.erased.turns, 1);
 * const snapshot = await restored.conversation({ tenantId: "orchard", sessionId: "spring" }).snapshot();
 * assert.equal(snapshot.turnCount, 0);
 * ```
 */
export async function restoreMemory(
  backup: string | URL,
  destination: string | URL,
  options: RestoreOptions,
): Promise<Memory> {
  const startedMs = monotonicMs();
  const [{ readRestoreOptions, restore }, { applyEvent }] = await Promise.all([
    import("./restore.ts"),
    import("./apply_event.ts"),
  ]);
  const { own, rest } = readRestoreOptions(options);
  const given = readOptions(rest);
  if (given.readOnly) throw new ContractError("readOnly", "A restored store cannot be opened read-only");
  new EffectiveTime(given.clock).read();
  const { store, report } = await restore(
    {
      backup: parseFilePath("backup", backup),
      main: parseFilePath("destination", destination),
      ledger: parseFilePath("deletionPath", given.deletionPath),
    },
    { ...given, ...own, apply: applyEvent },
  );
  return await startMemory(store, given, { restored: report, startedMs });
}

async function startMemory(
  store: OpenedStore,
  given: GivenOptions,
  { restored, startedMs }: { readonly restored: RestoreReport | null; readonly startedMs: number },
): Promise<Memory> {
  let engine: SqliteEngine;
  try {
    engine = await SqliteEngine.start(store, { ...given, applying: APPLYING });
  } catch (error) {
    throw store.abandon(error);
  }
  const tell = teller(given.onEvent, engine);
  const memory = new Memory(engine, { ...given, tell, restored });
  try {
    if (given.acceptClock) await acceptClock(engine, tell);
  } catch (error) {
    await memory.close();
    throw error;
  }
  if (restored === null) tell({ operation: "open", counts: {} }, startedMs);
  else tell({ operation: "restore", counts: { ...restored.erased } }, startedMs);
  return memory;
}

/** Judged in time; nothing is made there unless the store is of an older release. */
async function upgradeBackup({ backupBeforeUpgrade }: GivenOptions): Promise<FilePath | undefined> {
  if (backupBeforeUpgrade === undefined) return undefined;
  const { prepareDestination } = await import("./backup.ts");
  return prepareDestination("backupBeforeUpgrade", backupBeforeUpgrade);
}

interface GivenOptions {
  readonly clock: (() => number) | undefined;
  readonly deletionPath: unknown;
  readonly backupBeforeUpgrade: unknown;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly limits: ScopeLimits;
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  readonly acceptClock: boolean;
  readonly onEvent: ((event: MemoryEvent) => void) | undefined;
}

function readOptions(options: MemoryOptions): GivenOptions {
  const given = readFields("options", options, [
    "clock",
    "deletionPath",
    "backupBeforeUpgrade",
    "kinds",
    "limits",
    "driver",
    "readOnly",
    "busyTimeoutMs",
    "acceptClock",
    "onEvent",
  ]);
  const { clock, driver = nodeSqlite, readOnly = false, acceptClock = false, onEvent, busyTimeoutMs } = given;
  if (clock !== undefined && typeof clock !== "function") {
    throw new ContractError("clock", "Expected clock to be a function");
  }
  if (onEvent !== undefined && typeof onEvent !== "function") {
    throw new ContractError("onEvent", "Expected onEvent to be a function");
  }
  if (typeof (driver as Partial<SqliteDriver> | null)?.open !== "function") {
    throw new ContractError("driver", "Expected driver to be a SQLite driver");
  }
  return {
    clock: clock as (() => number) | undefined,
    deletionPath: given.deletionPath,
    backupBeforeUpgrade: given.backupBeforeUpgrade,
    kinds: collectKinds(given.kinds ?? [], KINDS_MAX),
    limits: readLimits(given.limits ?? {}),
    driver: driver as SqliteDriver,
    readOnly: requireBoolean("readOnly", readOnly),
    busyTimeoutMs: busyTimeoutMs === undefined
      ? BUSY_TIMEOUT_MS_DEFAULT
      : requireInteger("busyTimeoutMs", busyTimeoutMs, 0, BUSY_TIMEOUT_MS_MAX),
    acceptClock: requireBoolean("acceptClock", acceptClock),
    onEvent: onEvent as ((event: MemoryEvent) => void) | undefined,
  };
}

function readLimits(value: unknown): ScopeLimits {
  const { turnsPerScope = SCOPE_TURNS_DEFAULT, bytesPerScope = SCOPE_BYTES_DEFAULT } = readFields(
    "limits",
    value,
    [
      "turnsPerScope",
      "bytesPerScope",
    ],
  );
  return {
    turns: requireInteger("limits.turnsPerScope", turnsPerScope, 1, SCOPE_TURNS_MAX),
    bytes: requireInteger("limits.bytesPerScope", bytesPerScope, 1, SCOPE_BYTES_MAX),
  };
}

async function openInMemory(given: GivenOptions): Promise<OpenedStore> {
  if (given.readOnly) throw new ContractError("readOnly", "A store in memory cannot be opened read-only");
  if (given.deletionPath !== undefined) {
    throw new ContractError("deletionPath", "A store in memory keeps its ledger in memory");
  }
  if (given.backupBeforeUpgrade !== undefined) {
    throw new ContractError("backupBeforeUpgrade", "A store in memory is never of an older release");
  }
  return await openStoreInMemory(given.driver);
}

function filePaths(path: unknown, given: GivenOptions): Parameters<typeof openStoreOnDisk>[0] {
  const main = parsePath("path", path);
  const ledger = given.deletionPath === undefined
    ? { parent: main.parent, name: `${main.name}.deletions` }
    : parsePath("deletionPath", given.deletionPath);
  return { main, ledger };
}

/** Told in a microtask, so that a callback that throws ends in the open and not inside a store call. */
function teller(
  onEvent: ((event: MemoryEvent) => void) | undefined,
  engine: Engine,
): Tell {
  if (onEvent === undefined) return () => {};
  return (told, startedMs) => {
    const event = { ...told, at: readAt(engine), durationMs: monotonicMs() - startedMs };
    queueMicrotask(() => onEvent(event));
  };
}

/** What is told has been done: a clock that broke meanwhile must not make it fail. */
function readAt(engine: Engine): number {
  try {
    return engine.time().effectiveMs;
  } catch {
    return engine.highestTimeMs();
  }
}

async function acceptClock(engine: Engine, tell: Tell): Promise<void> {
  const startedMs = monotonicMs();
  const { lowerClockMark } = await import("./prune.ts");
  const loweredByMs = await engine.write(lowerClockMark);
  if (loweredByMs > 0) tell({ operation: "acceptClock", counts: { loweredByMs } }, startedMs);
}
