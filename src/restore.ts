/** Restoring a backup: options, what is erased again, and what a restore tells. */

import { rowsCheck } from "./backup.ts";
import { readFields, requireBoolean, requireCallback, requireSignal } from "./contracts/arguments.ts";
import { type RestoreProgress, type RestoreReport, toWatermark } from "./contracts/options/backup_options.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import type { Watermark } from "./contracts/watermark.ts";
import { dropDerived, moveRevisions } from "./scopes/restored_scopes.ts";
import type { ApplyEvent } from "./engine/engine.ts";
import type { OpenedStore } from "./engines/sqlite/database/opened_store.ts";
import type { SqliteDriver } from "./engines/sqlite/drivers/driver.ts";
import { preparePaths } from "./engines/sqlite/open/open_store.ts";
import type { NewerDeletions } from "./engines/sqlite/restore/plan_restore.ts";
import { isMainOf } from "./engines/sqlite/database/own_file.ts";
import { type RestorePaths, restoreStore } from "./engines/sqlite/restore/restore_store.ts";
import { ContractError } from "./errors.ts";
import { requirePermissions } from "./platform/permissions.ts";
import { lstatOrNull } from "./engines/sqlite/files/private_file.ts";
import {
  fileIn,
  type FilePath,
  type GivenPath,
  parseFilePath,
  resolveFile,
  SIDECAR_SUFFIXES,
} from "./engines/sqlite/files/store_path.ts";
import { type MemoryOptions, OPENING_NAMES, readOptions } from "./open.ts";

/**
 * What `restoreMemory` takes: what opening takes, and what holds the restore to its ledger.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, restoreMemory, type RestoreOptions } from "@holdfast/memory";
 *
 * const directory = await Deno.makeTempDir();
 * const memory = await openMemory(`${directory}/agent.db`);
 * const { watermark } = await memory.backup(`${directory}/monday.backup`);
 * await memory.close();
 * const options: RestoreOptions = { deletionPath: `${directory}/agent.db.deletions`, watermark };
 * await using restored = await restoreMemory(`${directory}/monday.backup`, `${directory}/new.db`, options);
 * assert.equal(restored.restored?.ledgerLost, false);
 * ```
 */
export type RestoreOptions =
  & Omit<MemoryOptions, "deletionPath" | "readOnly" | "backupBeforeUpgrade">
  & {
    /** Where the store's deletion ledger lies. */
    readonly deletionPath: string | URL;
    /** Cancels until the ledger's commit; nothing is left then. */
    readonly signal?: AbortSignal | undefined;
    /** Told how far it is. */
    readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  }
  & ({
    /** What the ledger must have: the newest `deletionWatermark()` that was kept apart from the store. */
    readonly watermark: Watermark;
    /**
     * The ledger is lost, and this is a copy that `exportLedger()` made: makes a new one from it, at `deletionPath`. What
     * was deleted after the copy is forgotten; a watermark that is newer than the copy is refused, the one of the copy's
     * own report is taken. With a `deletionPath` of its own this is also how to rehearse a restore: the store in service
     * is not fenced, and what comes out must never be served beside it.
     */
    readonly ledgerExport?: string | URL | undefined;
    readonly ledgerLost?: false | undefined;
  } | {
    /**
     * The ledger is lost: makes a new one, at `deletionPath`, from what the backup knows of deletions. Those made after
     * the backup are forgotten, and what they erased comes back.
     */
    readonly ledgerLost: true;
    readonly watermark?: undefined;
    readonly ledgerExport?: undefined;
  });

/** What a restore takes besides what opening takes. */
interface OwnOptions {
  /** Null where the ledger is said to be lost. */
  readonly watermark: Watermark | null;
  /** Null where the ledger is there, or no copy of it is. */
  readonly ledgerExport: GivenPath | null;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: RestoreOptions["onProgress"];
}

const OWN_NAMES = ["watermark", "ledgerLost", "ledgerExport", "signal", "onProgress"] as const;

/** Validates a restore's own options, and gives the rest back. */
export function readRestoreOptions(
  options: RestoreOptions,
): { readonly own: OwnOptions; readonly rest: Omit<RestoreOptions, (typeof OWN_NAMES)[number]> } {
  const given = readFields("options", options, [...OWN_NAMES, ...OPENING_NAMES]);
  const { watermark, ledgerLost = false, ledgerExport, signal, onProgress, ...rest } = given;
  if (rest.deletionPath === undefined) {
    throw new ContractError("deletionPath", "Expected deletionPath to name the store's ledger");
  }
  if (requireBoolean("ledgerLost", ledgerLost) && watermark !== undefined) {
    throw new ContractError("watermark", "Expected no watermark where the ledger is lost");
  }
  if (ledgerLost && ledgerExport !== undefined) {
    throw new ContractError("ledgerExport", "Expected ledgerExport or ledgerLost, not both");
  }
  if (!ledgerLost && watermark === undefined) {
    throw new ContractError("watermark", "Expected watermark to be what deletionWatermark() gave");
  }
  return {
    own: {
      watermark: ledgerLost ? null : toWatermark("watermark", watermark),
      ledgerExport: ledgerExport === undefined ? null : parseFilePath("ledgerExport", ledgerExport),
      signal: requireSignal(signal),
      onProgress: requireCallback("onProgress", onProgress) as RestoreOptions["onProgress"],
    },
    rest: rest as Omit<RestoreOptions, (typeof OWN_NAMES)[number]>,
  };
}

/** What a restore works with. */
interface RestoreParts extends OwnOptions {
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
  readonly clock: (() => number) | undefined;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly apply: ApplyEvent;
}

/** Restores, and gives the live store's files, opened. */
export async function restore(
  given: { readonly backup: GivenPath; readonly main: GivenPath; readonly ledger: GivenPath },
  parts: RestoreParts,
): Promise<{ readonly store: OpenedStore; readonly report: RestoreReport }> {
  const paths = {
    ...preparePaths(given, false),
    backup: resolveSource(given.backup),
    ledgerExport: parts.ledgerExport === null ? null : resolveSource(parts.ledgerExport),
  };
  assertApart(paths);
  const { watermark, onProgress } = parts;
  const { store, prepared } = await restoreStore(paths, {
    ...parts,
    checkRows: rowsCheck(parts.kinds),
    resetRows: { dropDerived, moveRevisions },
    tell: (step, done) => onProgress?.({ step, done }),
  });
  try {
    const { lineage, generation } = prepared.meta;
    const { count, head } = store.ledger.readMeta();
    const report = {
      lineage,
      generation,
      from: prepared.from,
      to: { lineage, sequence: count, head },
      erased: prepared.erased,
      fenced: fencedFiles(paths, lineage, parts.driver),
      ledgerLost: watermark === null,
    };
    return { store, report };
  } catch (error) {
    throw store.abandon(error);
  }
}

/** What a restore would find, as far as that can be told without copying; changes nothing. */
export async function planRestore(backup: string | URL, options: RestoreOptions): Promise<NewerDeletions> {
  const { own, rest } = readRestoreOptions(options);
  const { driver } = readOptions(rest);
  const paths = {
    backup: resolveSource(parseFilePath("backup", backup)),
    ledger: resolveSource(parseFilePath("deletionPath", rest.deletionPath)),
    ledgerExport: own.ledgerExport === null ? null : resolveSource(own.ledgerExport),
  };
  const { validateRestore } = await import("./engines/sqlite/restore/plan_restore.ts");
  return await validateRestore(paths, { driver, watermark: own.watermark, signal: own.signal });
}

function resolveSource(given: GivenPath): FilePath {
  requirePermissions([given.parent], true);
  const file = resolveFile(given);
  requirePermissions([file.directory], true);
  return file;
}

function assertApart({ backup, main, ledger, ledgerExport }: RestorePaths): void {
  const files = [backup, main, ledger, ...ledgerExport === null ? [] : [ledgerExport]];
  if (new Set(files.map(({ path }) => path)).size === files.length) return;
  throw new ContractError("backup", "Expected backup, destination and ledgers to be different files");
}

const LEDGER_SUFFIX = ".deletions";

/** The store that was live before, where it lies beside its ledger: a main of the lineage, and not some other file. */
function fencedFiles(
  { main, ledger }: RestorePaths,
  lineage: string,
  driver: SqliteDriver,
): readonly string[] {
  if (!ledger.name.endsWith(LEDGER_SUFFIX) || ledger.name === LEDGER_SUFFIX) return [];
  const before = fileIn(ledger.directory, ledger.name.slice(0, -LEDGER_SUFFIX.length));
  if (before.path === main.path || !isMainOf(before.path, lineage, driver)) return [];
  return ["", ...SIDECAR_SUFFIXES].map((suffix) => before.path + suffix).filter((path) =>
    lstatOrNull(path) !== null
  );
}
