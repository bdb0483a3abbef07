/** Restores a backup: validates the options, restores the files, and reports what was erased. */

import { rowsCheck } from "./backup.ts";
import { readFields, requireBoolean, requireCallback, requireSignal } from "./contracts/arguments.ts";
import { type RestoreProgress, type RestoreReport, toWatermark } from "./contracts/options/backup_options.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import type { Watermark } from "./contracts/watermark.ts";
import { dropDerived, moveRevisions } from "./scopes/restored_scopes.ts";
import { monotonicMs } from "./clock.ts";
import { retryWhileBusy } from "./engines/sqlite/database/retry_while_busy.ts";
import { drainScopes } from "./deletion/draining_scopes.ts";
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

/** Options of `restoreMemory`: those of opening, and the ledger and watermark of the store. */
export type RestoreOptions =
  & Omit<MemoryOptions, "deletionPath" | "readOnly" | "backupBeforeUpgrade">
  & {
    /** The path of the store's deletion ledger. */
    readonly deletionPath: string | URL;
    /** Cancels the restore until it commits to the ledger; a cancelled restore leaves no files. */
    readonly signal?: AbortSignal | undefined;
    /** Called with the progress. */
    readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  }
  & ({
    /** What the ledger must contain: the newest `deletionWatermark()` that was kept apart from the store. */
    readonly watermark: Watermark;
    /**
     * A copy from `exportLedger()` to replace a lost ledger: creates a new ledger from it at `deletionPath`.
     * Deletions after the copy are lost. A watermark newer than the copy is refused; pass the one of the copy's own report.
     * To rehearse a restore, use this with a new `deletionPath`: the store in service is not fenced off, and the result
     * must never be used next to it.
     */
    readonly ledgerExport?: string | URL | undefined;
    readonly ledgerLost?: false | undefined;
  } | {
    /**
     * Replaces a lost ledger: creates a new one at `deletionPath` from the deletions that the backup knows.
     * Deletions after the backup are lost, and what they erased comes back.
     */
    readonly ledgerLost: true;
    readonly watermark?: undefined;
    readonly ledgerExport?: undefined;
  });

/** The options of a restore that opening does not have. */
interface OwnOptions {
  /** Null with `ledgerLost`. */
  readonly watermark: Watermark | null;
  /** Null without a copy of the ledger. */
  readonly ledgerExport: GivenPath | null;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: RestoreOptions["onProgress"];
}

const OWN_NAMES = ["watermark", "ledgerLost", "ledgerExport", "signal", "onProgress"] as const;

/** Validates a restore's own options; returns them and the rest. */
export function readRestoreOptions(
  options: RestoreOptions,
): { readonly own: OwnOptions; readonly rest: Omit<RestoreOptions, (typeof OWN_NAMES)[number]> } {
  const given = readFields("options", options, [...OWN_NAMES, ...OPENING_NAMES]);
  const { watermark, ledgerLost = false, ledgerExport, signal, onProgress, ...rest } = given;
  if (rest.deletionPath === undefined) {
    throw new ContractError("deletionPath", "Expected deletionPath to be the path of the store's ledger");
  }
  if (requireBoolean("ledgerLost", ledgerLost) && watermark !== undefined) {
    throw new ContractError("watermark", "Expected no watermark with ledgerLost");
  }
  if (ledgerLost && ledgerExport !== undefined) {
    throw new ContractError("ledgerExport", "Expected ledgerExport or ledgerLost, not both");
  }
  if (!ledgerLost && watermark === undefined) {
    throw new ContractError("watermark", "Expected watermark to be a result of deletionWatermark()");
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

/** Everything a restore needs. */
interface RestoreParts extends OwnOptions {
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
  readonly clock: (() => number) | undefined;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly apply: ApplyEvent;
}

/** Restores; resolves to the live store, opened, and the report. */
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
    resetRows: { dropDerived, drainScopes, moveRevisions },
    emit: (step, done) => onProgress?.({ step, done }),
  });
  try {
    const { lineage, generation } = prepared.meta;
    // Readers of the old store may hold the lock for a moment, when they find that it is not live any more.
    const deadlineMs = monotonicMs() + parts.busyTimeoutMs;
    const { count, head } = await retryWhileBusy(deadlineMs, () => store.ledger.readMeta());
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

/** Validates a restore without copying; resolves to the number of deletions to apply, null if unknown. */
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

/** The files of the previously live store, if it is next to its ledger and belongs to the lineage. */
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
