/** Restores a store in the steps of the two-file protocol. */

import { monotonicMs, randomBytes } from "../../../clock.ts";
import type { Watermark } from "../../../contracts/watermark.ts";
import { because, IntegrityError, StorageError } from "../../../errors.ts";
import { hasWorkName, inspectPrivateFile, inspectSidecars } from "../files/private_file.ts";
import type { FilePath } from "../files/store_path.ts";
import { assertFree, removeLeftover, WorkFile } from "../files/work_file.ts";
import { LOST_GENERATIONS } from "../../../limits.ts";
import { EffectiveTime } from "../../../engine/effective_time.ts";
import type { ApplyEvent, CheckRows } from "../../../engine/engine.ts";
import { assertSchema } from "../database/assert_schema.ts";
import { checkCopy, checkPagesOf } from "../read/check_copy.ts";
import { clearDestination } from "./clear_destination.ts";
import { BACKUP, LEDGER, MAIN } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { Ledger } from "../database/ledger.ts";
import type { OpenedStore } from "../database/opened_store.ts";
import { copyLedger, makeLedger, markLive } from "./new_ledger.ts";
import { Opening, openStoreOnDisk } from "../open/open_store.ts";
import * as ownFile from "../database/own_file.ts";
import { retryWhileBusy } from "../database/retry_while_busy.ts";
import {
  openBackup,
  type Prepared,
  prepareRestored,
  type ResetRows,
  verifyLedgerContinues,
} from "./prepare_restored.ts";
import { requireIntact, requireIntactLedger } from "../read/require_intact.ts";
import { copySource, inspectSource, type RestoreSource } from "./restore_source.ts";
import { switchStore } from "../write/switch_store.ts";
import { WorkDatabase } from "../database/work_database.ts";

/** The files that a restore reads and writes. */
export interface RestorePaths {
  readonly backup: FilePath;
  readonly main: FilePath;
  readonly ledger: FilePath;
  /** An export of the ledger, if the ledger itself is lost; null if there is none, or it is not needed. */
  readonly ledgerExport: FilePath | null;
}

/** How a store is restored. */
interface RestoreStoreOptions {
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
  readonly clock: (() => number) | undefined;
  readonly apply: ApplyEvent;
  readonly checkRows: CheckRows;
  readonly resetRows: ResetRows;
  /** What the ledger must contain; null if the ledger is lost and has to be recreated. */
  readonly watermark: Watermark | null;
  readonly signal: AbortSignal | undefined;
  readonly emit: (step: "copy" | "apply" | "check", done: number) => void;
}

/** A restored store: live, and opened. */
interface RestoredStore {
  readonly store: OpenedStore;
  readonly prepared: Prepared;
}

/** Restores a store. Until the ledger's one commit, nothing that existed before has changed. */
export async function restoreStore(
  paths: RestorePaths,
  options: RestoreStoreOptions,
): Promise<RestoredStore> {
  const prepared = await prepare(paths, options);
  const store = await openDestination(paths, options);
  return { store, prepared };
}

/** Runs steps 4.1 to 4.4. */
async function prepare(paths: RestorePaths, options: RestoreStoreOptions): Promise<Prepared> {
  const { driver, busyTimeoutMs } = options;
  for (const source of [paths.backup, paths.ledgerExport]) {
    if (source !== null && hasWorkName(source.path, ".partial")) removeLeftover(source, ".partial");
  }
  const backup = inspectSource(paths.backup, [BACKUP, MAIN], driver);
  if (isLost(paths, options)) {
    requireLost(paths.ledger);
    await retryWhileBusy(monotonicMs() + busyTimeoutMs, () => clearDestination(paths.main, null, driver));
    return await prepareBoth(paths, backup, options);
  }
  const opening = new Opening(driver, { readOnly: false, ownFile });
  try {
    const ledger = await retryWhileBusy(
      monotonicMs() + busyTimeoutMs,
      () => openExistingLedger(opening, paths.ledger),
    );
    await requireIntactLedger(ledger, options.signal);
    await retryWhileBusy(monotonicMs() + busyTimeoutMs, () => clearDestination(paths.main, ledger, driver));
    using work = WorkFile.claim(paths.main, ".restoring");
    const prepared = await prepareDestination(work, { ...backup, ledger, isCopy: false }, options);
    options.signal?.throwIfAborted();
    work.publish();
    return prepared;
  } finally {
    opening.close();
  }
}

/** Whether a new ledger has to be created, from an export of the lost one or from the backup. */
function isLost({ ledgerExport }: RestorePaths, { watermark }: RestoreStoreOptions): boolean {
  return ledgerExport !== null || watermark === null;
}

/**
 * Refuses an existing ledger if the caller says that it is lost: its deletions would be forgotten.
 *
 * Checked before anything at the destination is removed, because an existing ledger may name it.
 */
function requireLost(ledger: FilePath): void {
  removeLeftover(ledger, ".restoring");
  assertFree(ledger);
}

/** Runs steps 4.2 to 4.4 with a new ledger. It is published last, and names the live store from the start. */
async function prepareBoth(
  paths: RestorePaths,
  backup: RestoreSource,
  options: RestoreStoreOptions,
): Promise<Prepared> {
  const { driver, signal } = options;
  using work = WorkFile.claim(paths.main, ".restoring");
  using ledgerWork = WorkFile.claim(paths.ledger, ".restoring");
  let prepared: Prepared;
  if (paths.ledgerExport === null) {
    prepared = await prepareDestination(work, { ...backup, ledger: null, isCopy: true }, options);
    makeLedger(ledgerWork, work, prepared.meta, driver);
  } else {
    using copy = await copyLedger(paths.ledgerExport, ledgerWork, options);
    const ledger = new Ledger(copy.connection);
    prepared = await prepareDestination(work, { ...backup, ledger, isCopy: true }, options);
    markLive(ledger, prepared.meta);
  }
  signal?.throwIfAborted();
  work.publish();
  ledgerWork.publish();
  return prepared;
}

/** The sources of a restore. */
interface Sources extends RestoreSource {
  /** Null if there is only the backup. */
  readonly ledger: Ledger | null;
  /** Whether it may lack later restores. */
  readonly isCopy: boolean;
}

/** Step 4.1: requires an intact ledger of ours; SQLite replays what its last writer left in the log. */
export function openExistingLedger(opening: Opening, file: FilePath): Ledger {
  inspectSidecars(file, LEDGER.what);
  if ((inspectPrivateFile(file.path, LEDGER.what)?.bytes ?? 0) === 0) {
    throw new IntegrityError("Cannot restore: the ledger does not exist; if it is lost, pass ledgerLost", {
      details: because("ledger-missing"),
    });
  }
  const { connection } = opening.openFile(LEDGER, file);
  assertSchema(connection, LEDGER);
  return new Ledger(connection);
}

/** Runs steps 4.2 and 4.3. */
async function prepareDestination(
  work: WorkFile,
  sources: Sources,
  options: RestoreStoreOptions,
): Promise<Prepared> {
  const { driver, signal, emit } = options;
  signal?.throwIfAborted();
  await copySource(sources, work, { driver, signal, onBytes: (bytes) => emit("copy", bytes) });
  return await prepareCopy(work, sources, options);
}

async function prepareCopy(
  work: WorkFile,
  { kind, ledger, isCopy }: Sources,
  options: RestoreStoreOptions,
): Promise<Prepared> {
  const { driver, signal, emit, watermark, checkRows } = options;
  const onRows = (rows: number): void => emit("check", rows);
  using copy = WorkDatabase.open(kind, work.path, driver);
  // First of all: checking the pages evaluates the constraints and expressions of the schema, which may never end.
  assertSchema(copy.connection, { ...MAIN, what: BACKUP.what });
  await requireIntact("backup", (collector) => checkPagesOf(copy, collector), { signal, onRows });
  assertNoTrailingBytes(work, copy);
  const meta = openBackup(copy.connection);
  const known = ledger === null || watermark === null
    ? meta.generation
    : await verifyLedgerContinues(ledger, meta, { watermark, signal });
  // The number of restores since then is unknown, and their revisions must not be issued again.
  const generation = isCopy ? known + LOST_GENERATIONS + randomBytes(1)[0]! : known;
  const time = new EffectiveTime(options.clock);
  time.observe(meta.clockMark, meta.clockEpoch);
  const prepared = await prepareRestored(meta, generation, ledger, {
    main: copy.connection,
    clock: time.readAhead(),
    apply: options.apply,
    resetRows: options.resetRows,
    signal,
    onApplied: (events) => emit("apply", events),
  });
  await requireIntact("backup", (collector) => checkCopy(MAIN, copy, collector, checkRows), {
    signal,
    onRows,
  });
  return prepared;
}

/** Refuses bytes after the last page: they would be kept unchecked, and may be deleted content. */
function assertNoTrailingBytes(work: WorkFile, copy: WorkDatabase): void {
  if (work.bytes === copy.bytes) return;
  throw new IntegrityError("Cannot restore: the backup's file is longer than its pages", {
    details: because("damaged-backup", { bytes: work.bytes, expected: copy.bytes }),
  });
}

/** Runs steps 4.5 and 4.6. Only opens the destination if a new ledger has already made it live. */
async function openDestination(paths: RestorePaths, options: RestoreStoreOptions): Promise<OpenedStore> {
  const { driver, busyTimeoutMs, clock, apply } = options;
  const given = {
    main: { parent: paths.main.directory, name: paths.main.name },
    ledger: { parent: paths.ledger.directory, name: paths.ledger.name },
  };
  const open = (): Promise<OpenedStore> => openStoreOnDisk(given, { driver, busyTimeoutMs, readOnly: false });
  if (isLost(paths, options)) return await open();
  let store: OpenedStore | null = null;
  try {
    store = await open();
    const opened = store;
    const parts = { clock: new EffectiveTime(clock).readAhead(), apply };
    await retryWhileBusy(monotonicMs() + busyTimeoutMs, () => switchStore(opened, parts));
    return store;
  } catch (error) {
    throw removeRefused(paths, store === null ? error : store.abandon(error), driver);
  }
}

/** Removes a destination that did not become live. If the outcome is unknown, it may be live, and is kept. */
function removeRefused(paths: RestorePaths, error: unknown, driver: SqliteDriver): unknown {
  if (error instanceof StorageError && error.details.outcome === "unknown") return error;
  const opening = new Opening(driver, { readOnly: false, ownFile });
  try {
    clearDestination(paths.main, new Ledger(opening.openFile(LEDGER, paths.ledger).connection), driver);
    return error;
  } catch {
    // It stays pending, and opening it reports that; the first error matters more.
    return error;
  } finally {
    opening.close();
  }
}
