/** Opening a store, and restoring one. */

import { monotonicMs } from "./clock.ts";
import { hasMethod, readFields, requireInteger } from "./contracts/arguments.ts";
import type { RestoreReport } from "./contracts/options/backup_options.ts";
import type { MemoryEvent, StoreOptions, Tell } from "./contracts/options/memory_options.ts";
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

// What a program that opens a store and reads a record does not need is imported when it is first called: every module
// counts at every start.
const APPLYING = new LateModule(() => import("./apply_event.ts"));

/**
 * What `openMemory` takes besides the path.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type MemoryOptions, openMemory } from "@holdfast/memory";
 *
 * const options: MemoryOptions = { clock: () => Date.UTC(2026, 2, 1), limits: { turnsPerScope: 1 } };
 * await using memory = await openMemory(":memory:", options);
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "Which trees were grafted?" }]);
 * await assert.rejects(conversation.append([{ role: "user", content: "Which?" }]), { reason: "CAPACITY" });
 * assert.equal((await conversation.snapshot()).at, "2026-03-01T00:00:00+00:00");
 * ```
 */
export interface MemoryOptions extends StoreOptions {
  /** Where the deletion ledger lies; the store's whole path with `.deletions` appended if omitted. */
  readonly deletionPath?: string | URL | undefined;
  /** The SQLite binding; Deno's built-in one if omitted. */
  readonly driver?: SqliteDriver | undefined;
  /** Milliseconds from a call until a lock held by others is reported as `BUSY`; 5 000 if omitted. */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Where a store of an older release is copied to before it is upgraded; the ledger, if it is older too, goes beside it
   * with `.deletions` appended. No copy is made if omitted, or if there is nothing to upgrade: no deletion would reach it.
   */
  readonly backupBeforeUpgrade?: string | URL | undefined;
}

/** Options of opening, validated, with their defaults. */
interface GivenOptions extends GivenStoreOptions {
  readonly deletionPath: unknown;
  readonly backupBeforeUpgrade: unknown;
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
}

/** What opening a store in files takes, a restore included. */
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
 * const identity = { tenantId: "orchard", kind: "fact", key: "preference" } as const;
 * await memory.records.put(identity, fact, { expectedRevision: null, ttl: 3_600 });
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
 * interrupted is begun anew by calling this again. Summaries, cached responses and indexes are not restored, and revisions given
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
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
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

/** Validated in time; nothing is made there unless the store is of an older release. */
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
