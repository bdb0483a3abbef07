/** A restore, step by step as the protocol over the two files states it. */

import { monotonicMs } from "../../clock.ts";
import { IntegrityError, StorageError } from "../../errors.ts";
import { copyBackup, inspectBackup } from "../../files/backup_file.ts";
import { type FileIdentity, hasWorkName, inspectPrivateFile } from "../../files/private_file.ts";
import { type FilePath, SIDECAR_SUFFIXES } from "../../files/store_path.ts";
import { assertFree, removeLeftover, WorkFile } from "../../files/work_file.ts";
import { CheckCollector } from "../check.ts";
import { EffectiveTime } from "../effective_time.ts";
import type { ApplyEvent, CheckRows, Watermark } from "../engine.ts";
import { assertSchema } from "./assert_schema.ts";
import { checkBeginning } from "./check_store.ts";
import { checkCopy, checkPagesOf, readDeletions } from "./check_copy.ts";
import type { Connection } from "./connection.ts";
import { BACKUP, type DatabaseKind, LEDGER, MAIN } from "./database.ts";
import { upgradeSchema } from "./formats.ts";
import type { SqliteDriver } from "./driver.ts";
import { Ledger } from "./ledger.ts";
import { type OpenedStore, Opening, openStoreOnDisk } from "./open_store.ts";
import { patiently } from "./patience.ts";
import {
  assertAuthority,
  openBackup,
  type Prepared,
  prepareRestored,
  type ResetRows,
} from "./prepare_restored.ts";
import { clearDestination } from "./clear_destination.ts";
import { switchStore } from "./switch_store.ts";
import { WorkDatabase } from "./work_database.ts";
import { CHAIN_EVENTS_PER_BATCH, LOST_GENERATIONS } from "../../limits.ts";
import { randomBytes } from "../../clock.ts";

/** Where a restore reads and writes. */
export interface RestorePaths {
  readonly backup: FilePath;
  readonly main: FilePath;
  readonly ledger: FilePath;
}

/** How a store is restored. */
export interface RestoreStoreOptions {
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
  readonly clock: (() => number) | undefined;
  readonly apply: ApplyEvent;
  readonly checkRows: CheckRows;
  readonly resetRows: ResetRows;
  /** What the ledger must have; null if the ledger is lost and to be made anew. */
  readonly watermark: Watermark | null;
  readonly signal: AbortSignal | undefined;
  readonly tell: (step: "copy" | "apply" | "check", done: number) => void;
}

/** A restored store: live, and opened. */
export interface RestoredStore {
  readonly store: OpenedStore;
  readonly prepared: Prepared;
}

/** Restores. Until the ledger's one commit nothing that was there has changed. */
export async function restoreStore(
  paths: RestorePaths,
  options: RestoreStoreOptions,
): Promise<RestoredStore> {
  const prepared = await prepare(paths, options);
  const store = await openDestination(paths, options);
  return { store, prepared };
}

/** 4.1 to 4.4. */
async function prepare(paths: RestorePaths, options: RestoreStoreOptions): Promise<Prepared> {
  const { driver, busyTimeoutMs, watermark } = options;
  if (hasWorkName(paths.backup.path, ".partial")) removeLeftover(paths.backup, ".partial");
  const inspected = inspectBackup(paths.backup, [BACKUP, MAIN]);
  const opening = new Opening(driver, { readOnly: false });
  try {
    const ledger = watermark === null ? null : openAuthority(opening, paths.ledger);
    if (ledger === null) requireLost(paths.ledger);
    else await requireWhole(ledger, options);
    await patiently(monotonicMs() + busyTimeoutMs, () => clearDestination(paths.main, ledger, driver));
    return await prepareDestination(paths, { ...inspected, ledger }, options);
  } finally {
    opening.close();
  }
}

/**
 * Who says that the ledger is lost must not have one: its deletions would be forgotten. Asked before anything at the
 * destination is removed, since a ledger that is there may name it.
 */
function requireLost(ledger: FilePath): void {
  removeLeftover(ledger, ".restoring");
  assertFree(ledger);
}

/** What a restore starts from. */
interface Sources {
  /** A backup, or the main file of a store that was closed. */
  readonly kind: DatabaseKind;
  readonly identity: FileIdentity;
  /** Null where it is lost. */
  readonly ledger: Ledger | null;
}

/** 4.1: the ledger has to be there, whole and ours; SQLite finishes what its last writer left in its log. */
function openAuthority(opening: Opening, file: FilePath): Ledger {
  for (const suffix of SIDECAR_SUFFIXES) {
    inspectPrivateFile(file.path + suffix, `a sidecar of ${LEDGER.what}`);
  }
  if ((inspectPrivateFile(file.path, LEDGER.what)?.bytes ?? 0) === 0) {
    throw new IntegrityError("Cannot restore: the ledger is not there; if it is lost, say ledgerLost");
  }
  const { connection } = opening.openFile(LEDGER, file);
  assertSchema(connection, LEDGER);
  return new Ledger(connection);
}

/** What is written into damaged pages may take others along. Its chain is judged once there is a backup to judge it by. */
async function requireWhole(ledger: Ledger, options: RestoreStoreOptions): Promise<void> {
  await requireSound("ledger", async (collector) => {
    await checkPagesOf(ledger, collector);
    checkBeginning(ledger, collector);
  }, { ...options, tell: () => {} });
}

/** 4.2 to 4.4: the destination gets its name once it is whole; where the ledger was lost, so does a new one, last. */
async function prepareDestination(
  paths: RestorePaths,
  sources: Sources,
  options: RestoreStoreOptions,
): Promise<Prepared> {
  const { signal, tell } = options;
  signal?.throwIfAborted();
  using work = WorkFile.claim(paths.main, ".restoring");
  using ledgerWork = sources.ledger === null ? WorkFile.claim(paths.ledger, ".restoring") : null;
  await copyBackup(paths.backup, work, {
    identity: sources.identity,
    signal,
    onBytes: (bytes) => tell("copy", bytes),
  });
  const prepared = await prepareCopy(work, sources, options);
  if (ledgerWork !== null) makeLedger(ledgerWork, work, prepared, options.driver);
  signal?.throwIfAborted();
  work.publish();
  ledgerWork?.publish();
  return prepared;
}

async function prepareCopy(
  work: WorkFile,
  { kind, ledger }: Sources,
  options: RestoreStoreOptions,
): Promise<Prepared> {
  const { driver, signal, tell, watermark } = options;
  using copy = WorkDatabase.open(kind, work.path, driver);
  // First: looking through the pages computes the checks and expressions that a schema has, and those may never end.
  assertSchema(copy.connection, MAIN);
  await requireSound("backup", (collector) => checkPagesOf(copy, collector), options);
  assertNothingBehind(work, copy);
  const meta = openBackup(copy.connection);
  const generation = ledger === null || watermark === null
    ? meta.generation + LOST_GENERATIONS + randomBytes(1)[0]!
    : await assertAuthority(ledger, meta, watermark);
  const prepared = await prepareRestored(meta, generation, ledger, {
    main: copy.connection,
    time: new EffectiveTime(options.clock),
    apply: options.apply,
    resetRows: options.resetRows,
    signal,
    onApplied: (events) => tell("apply", events),
  });
  await requireSound("backup", (collector) => checkCopy(MAIN, copy, collector, options.checkRows), options);
  return prepared;
}

/** What lies behind the last page would be carried along without being looked at, and may be what was deleted. */
function assertNothingBehind(work: WorkFile, copy: WorkDatabase): void {
  if (work.bytes === copy.bytes) return;
  throw new IntegrityError("Cannot restore: the backup's file is longer than its pages", {
    details: { bytes: work.bytes, expected: copy.bytes },
  });
}

/** Nothing that is damaged is restored, or written to. */
async function requireSound(
  what: "backup" | "ledger",
  check: (collector: CheckCollector) => Promise<void>,
  { signal, tell }: RestoreStoreOptions,
): Promise<void> {
  const collector = new CheckCollector({ signal, onProgress: ({ rows }) => tell("check", rows) });
  await check(collector);
  const { problems } = collector.report();
  if (problems.length === 0) return;
  throw new IntegrityError(`Cannot restore: the ${what} is damaged in ${problems[0]!.table}`, {
    details: { problems: problems.length, table: problems[0]!.table },
  });
}

/** A ledger from the copies of its events that the backup has; it says from the start which store is live. */
function makeLedger(ledgerWork: WorkFile, work: WorkFile, { meta }: Prepared, driver: SqliteDriver): void {
  using copy = WorkDatabase.open(MAIN, work.path, driver);
  using made = WorkDatabase.open(LEDGER, ledgerWork.path, driver);
  const { lineage, generation, epoch, applied, appliedHead } = meta;
  made.connection.begin("immediate");
  upgradeSchema(made.connection);
  const ledger = new Ledger(made.connection);
  ledger.insertMeta({
    lineage,
    generation,
    epoch,
    count: applied,
    head: appliedHead,
    probe: 0,
    announced: null,
  });
  for (let after = 0; after < applied;) after = copyEvents(copy.connection, ledger, after);
  made.connection.commit();
}

function copyEvents(main: Connection, ledger: Ledger, after: number): number {
  const events = readDeletions(main, after, CHAIN_EVENTS_PER_BATCH);
  ledger.insertEvents(events);
  return events.at(-1)!.sequence;
}

/** 4.5 and 4.6, unless a new ledger has made the destination live already; then it is opened as any store. */
async function openDestination(paths: RestorePaths, options: RestoreStoreOptions): Promise<OpenedStore> {
  const { driver, busyTimeoutMs, clock, apply } = options;
  const given = {
    main: { parent: paths.main.directory, name: paths.main.name },
    ledger: { parent: paths.ledger.directory, name: paths.ledger.name },
  };
  const store = await openStoreOnDisk(given, { driver, busyTimeoutMs, readOnly: false });
  if (options.watermark === null) return store;
  try {
    const time = new EffectiveTime(clock);
    await patiently(monotonicMs() + busyTimeoutMs, () => switchStore(store, { time, apply }));
    return store;
  } catch (error) {
    throw removeRefused(paths, store.abandon(error), driver);
  }
}

/** A destination that did not become live is of no use; where the outcome is unknown, it may be live. */
function removeRefused(paths: RestorePaths, error: unknown, driver: SqliteDriver): unknown {
  if (error instanceof StorageError && error.details.outcome === "unknown") return error;
  const opening = new Opening(driver, { readOnly: false });
  try {
    clearDestination(paths.main, new Ledger(opening.openFile(LEDGER, paths.ledger).connection), driver);
    return error;
  } catch {
    // It stays pending, and says so when it is opened; the first error is what matters.
    return error;
  } finally {
    opening.close();
  }
}
