/** Opens and restores stores. */

import { monotonicMs } from "./clock.ts";
import { hasMethod, readFields, requireInteger } from "./contracts/arguments.ts";
import type { RestoreReport } from "./contracts/options/backup_options.ts";
import type { EmitEvent, MemoryEvent, StoreOptions } from "./contracts/options/memory_options.ts";
import { EffectiveTime } from "./engine/effective_time.ts";
import type { Engine } from "./engine/engine.ts";
import type { SqliteDriver } from "./engines/sqlite/drivers/driver.ts";
import { nodeSqlite } from "./engines/sqlite/drivers/node_sqlite.ts";
import { openStoreInMemory, openStoreOnDisk } from "./engines/sqlite/open/open_store.ts";
import { SqliteEngine } from "./engines/sqlite/sqlite_engine.ts";
import { ContractError } from "./errors.ts";
import { type FilePath, MEMORY_PATH, parseFilePath, parsePath } from "./engines/sqlite/files/store_path.ts";
import { type GivenStoreOptions, readStoreOptions, STORE_NAMES } from "./opening_options.ts";
import { LateModule } from "./contracts/late_module.ts";
import type { OpenedStore } from "./engines/sqlite/database/opened_store.ts";
import { BUSY_TIMEOUT_MS_DEFAULT, BUSY_TIMEOUT_MS_MAX } from "./limits.ts";
import { Memory } from "./memory.ts";
import type { RestoreOptions } from "./restore.ts";

export { MEMORY_PATH, parsePath } from "./engines/sqlite/files/store_path.ts";

// Loaded on first use, to keep start-up short.
const APPLYING = new LateModule(() => import("./apply_event.ts"));

/** Options of `openMemory`. */
export interface MemoryOptions extends StoreOptions {
  /** The path of the deletion ledger; by default the store's path with `.deletions` appended. */
  readonly deletionPath?: string | URL | undefined;
  /** The SQLite driver; Deno's built-in one by default. */
  readonly driver?: SqliteDriver | undefined;
  /** Milliseconds from a call until a lock that others hold is reported as `BUSY`; 5 000 by default. */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Copies a store of an older release to this path before upgrading it. An older ledger is copied next to it, with
   * `.deletions` appended. Without an upgrade no copy is made. Later deletions do not reach the copy.
   */
  readonly backupBeforeUpgrade?: string | URL | undefined;
}

/** The options of opening, validated, with their defaults. */
interface GivenOptions extends GivenStoreOptions {
  readonly deletionPath: unknown;
  readonly backupBeforeUpgrade: unknown;
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
}

/** The options of opening a store in files, which a restore accepts too. */
export const OPENING_NAMES = [...STORE_NAMES, "deletionPath", "driver", "busyTimeoutMs"] as const;

/** Validates the options of opening. */
export function readOptions(options: MemoryOptions): GivenOptions {
  const given = readFields("options", options, [...OPENING_NAMES, "backupBeforeUpgrade"]);
  const { deletionPath, backupBeforeUpgrade, driver = nodeSqlite, busyTimeoutMs } = given;
  const common = readStoreOptions(given);
  if (!hasMethod(driver, "open") || typeof (driver as SqliteDriver).name !== "string") {
    throw new ContractError("driver", "Expected driver to be a SQLite driver");
  }
  return {
    ...common,
    deletionPath,
    backupBeforeUpgrade,
    driver: driver as SqliteDriver,
    busyTimeoutMs: busyTimeoutMs === undefined
      ? BUSY_TIMEOUT_MS_DEFAULT
      : requireInteger("busyTimeoutMs", busyTimeoutMs, 0, BUSY_TIMEOUT_MS_MAX),
  };
}

/**
 * Opens a store, and creates it if it does not exist. The file, its ledger and their sidecars are private (mode 0600);
 * files of another kind or mode under their names are refused. Needs `--allow-read` and `--allow-write` for the directory.
 *
 * @param path a file, or `:memory:` for a store that ends with its process
 * @throws {ContractError} naming the invalid option
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
 * const identity = { tenantId: "acme", kind: "fact", key: "preference" } as const;
 * await memory.records.put(identity, fact, { expectedRevision: null, ttl: 3_600 });
 * assert.equal((await memory.records.get(identity))?.value.text, "Prefers lists.");
 * ```
 */
export async function openMemory(path: string | URL, options: MemoryOptions = {}): Promise<Memory> {
  const startedMs = monotonicMs();
  const given = readOptions(options);
  // Reject an unusable clock before any effect.
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
 * Restores a backup to a new path and opens it, without anything that was deleted since.
 *
 * Every deletion that the ledger has recorded since the backup is applied first. One commit to the ledger then makes the
 * restored store live and fences off the previous one, which answers `REPLACED` from then on. Until that commit nothing
 * has changed: after an interruption, call this again. Summaries, cached responses and indexes are not restored. New
 * revisions come from a range of their own.
 *
 * @param backup a file that `backup()` made, or the main file of a store that was closed
 * @param destination a path that does not exist yet: choose a new name, or move the old store's main file and its `-wal`
 * and `-shm` away first; leave the ledger in place
 * @returns the open store, with a report as `restored`; later, open it with the same `deletionPath`
 * @throws {ContractError} naming the invalid option
 * @throws {StorageError} `EXISTS`, `UNSAFE`, `SCHEMA`, `CORRUPT`, `BUSY`, `REPLACED` if another restore was faster,
 * `PERMISSION`, `FULL`, `IO`; with `details.outcome: "unknown"` the next open or restore decides
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
 * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
 * const { turnId, revision } = await conversation.append([{ role: "user", content: "My door code is 4711." }]);
 * await memory.backup(`${directory}/agent.backup`);
 * await conversation.delete({ kind: "turn", key: turnId, expectedRevision: revision });
 * const watermark = await memory.deletionWatermark();
 * await memory.close();
 *
 * await using restored = await restoreMemory(`${directory}/agent.backup`, `${directory}/restored.db`, {
 *   deletionPath,
 *   watermark,
 * });
 * assert.equal(restored.restored?.erased.turns, 1);
 * const snapshot = await restored.conversation({ tenantId: "acme", sessionId: "ticket-7" }).snapshot();
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
  const emit = eventEmitter(given.onEvent, engine);
  const memory = new Memory(engine, { ...given, emit, restored });
  try {
    if (given.acceptClock) await acceptClock(engine, emit);
    if (!engine.readOnly && await isErasing(engine)) void finishErasing(engine);
  } catch (error) {
    await memory.close();
    throw error;
  }
  if (restored === null) emit({ operation: "open", counts: {} }, startedMs);
  else emit({ operation: "restore", counts: { ...restored.erased } }, startedMs);
  return memory;
}

/** Validates the path before any effect; a copy is made only if the store is of an older release. */
async function upgradeBackup({ backupBeforeUpgrade }: GivenOptions): Promise<FilePath | undefined> {
  if (backupBeforeUpgrade === undefined) return undefined;
  const { prepareDestination } = await import("./engines/sqlite/files/destination.ts");
  return prepareDestination("backupBeforeUpgrade", backupBeforeUpgrade);
}

async function openInMemory(given: GivenOptions): Promise<OpenedStore> {
  if (given.readOnly) throw new ContractError("readOnly", "A store in memory cannot be opened read-only");
  if (given.deletionPath !== undefined) {
    throw new ContractError("deletionPath", "A store in memory keeps its ledger in memory");
  }
  if (given.backupBeforeUpgrade !== undefined) {
    throw new ContractError("backupBeforeUpgrade", "A store in memory is never upgraded");
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

/** Emits events in a microtask, so that a callback that throws cannot fail a store call. */
function eventEmitter(
  onEvent: ((event: MemoryEvent) => void) | undefined,
  engine: Engine,
): EmitEvent {
  if (onEvent === undefined) return () => {};
  return (emitted, startedMs) => {
    const event = { ...emitted, at: readAt(engine), durationMs: monotonicMs() - startedMs };
    queueMicrotask(() => onEvent(event));
  };
}

/** The time of an event: the operation is complete, so a clock that fails now must not make it fail. */
function readAt(engine: Engine): number {
  try {
    return engine.time().effectiveMs;
  } catch {
    return engine.highestTimeMs();
  }
}

async function acceptClock(engine: Engine, emit: EmitEvent): Promise<void> {
  const startedMs = monotonicMs();
  const { lowerClockMark } = await import("./prune.ts");
  const loweredByMs = await engine.write(lowerClockMark);
  if (loweredByMs > 0) emit({ operation: "acceptClock", counts: { loweredByMs } }, startedMs);
}

const SELECT_DRAINING_SCOPE = `SELECT scope FROM draining_scopes LIMIT 1`;

/** Whether a process was ended before all was erased of a tenant or person; no call finds any of it. */
async function isErasing(engine: Engine): Promise<boolean> {
  const found = await engine.read((transaction) => transaction.get(SELECT_DRAINING_SCOPE), {
    concerns: () => false,
    refreshes: false,
  });
  return found !== undefined;
}

/** Goes on erasing while other calls run. What it leaves, a prune, a backup, a scrub or the next open erases. */
async function finishErasing(engine: Engine): Promise<void> {
  try {
    const { drainErased } = await import("./deletion/drain_scopes.ts");
    await drainErased(engine, undefined);
  } catch {
    return;
  }
}
