/** Restoring a backup: options, what is erased again, and what a restore tells. */

import { rowsCheck } from "./backup.ts";
import { requireBoolean, requireCallback, requireSignal } from "./contracts/arguments.ts";
import { type RestoreOptions, type RestoreReport, toWatermark } from "./contracts/backup.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import { dropDerived, moveRevisions } from "./conversations/restored_scopes.ts";
import type { ApplyEvent, Watermark } from "./engine/engine.ts";
import type { SqliteDriver } from "./engine/sqlite/driver.ts";
import { type OpenedStore, preparePaths } from "./engine/sqlite/open_store.ts";
import { type RestorePaths, restoreStore } from "./engine/sqlite/restore_store.ts";
import { ContractError } from "./errors.ts";
import { requirePermissions } from "./files/permissions.ts";
import { lstatOrNull } from "./files/private_file.ts";
import { fileIn, type GivenPath, resolveFile, SIDECAR_SUFFIXES } from "./files/store_path.ts";

/** What a restore takes besides what opening takes. */
export interface OwnOptions {
  /** Null where the ledger is said to be lost. */
  readonly watermark: Watermark | null;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: RestoreOptions["onProgress"];
}

/** Judges a restore's own options, and gives the rest back. */
export function readRestoreOptions(
  options: RestoreOptions,
): { readonly own: OwnOptions; readonly rest: Omit<RestoreOptions, keyof OwnOptions | "ledgerLost"> } {
  if (typeof options !== "object" || options === null) {
    throw new ContractError("options", "Expected options to name the ledger and a watermark");
  }
  const { watermark, ledgerLost = false, signal, onProgress, ...rest } = options;
  if (rest.deletionPath === undefined) {
    throw new ContractError("deletionPath", "Expected deletionPath to name the store's ledger");
  }
  if (requireBoolean("ledgerLost", ledgerLost) && watermark !== undefined) {
    throw new ContractError("watermark", "Expected no watermark where the ledger is lost");
  }
  return {
    own: {
      watermark: ledgerLost ? null : toWatermark("watermark", watermark),
      signal: requireSignal(signal),
      onProgress: requireCallback("onProgress", onProgress) as RestoreOptions["onProgress"],
    },
    rest,
  };
}

/** What a restore works with. */
export interface RestoreParts extends OwnOptions {
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
  const paths = { ...preparePaths(given, false), backup: resolveBackup(given.backup) };
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
      fenced: watermark === null ? [] : fencedFiles(paths),
      ledgerLost: watermark === null,
    };
    return { store, report };
  } catch (error) {
    throw store.abandon(error);
  }
}

function resolveBackup(given: GivenPath): RestorePaths["backup"] {
  requirePermissions([given.parent], true);
  const file = resolveFile(given);
  requirePermissions([file.directory], true);
  return file;
}

function assertApart({ backup, main, ledger }: RestorePaths): void {
  if (backup.path !== main.path && backup.path !== ledger.path) return;
  throw new ContractError("backup", "Expected backup, destination and deletionPath to be different files");
}

const LEDGER_SUFFIX = ".deletions";

/** The store that was live before, where it lies beside its ledger. */
function fencedFiles({ main, ledger }: RestorePaths): readonly string[] {
  if (!ledger.name.endsWith(LEDGER_SUFFIX) || ledger.name === LEDGER_SUFFIX) return [];
  const before = fileIn(ledger.directory, ledger.name.slice(0, -LEDGER_SUFFIX.length));
  if (before.path === main.path) return [];
  return ["", ...SIDECAR_SUFFIXES].map((suffix) => before.path + suffix).filter((path) =>
    lstatOrNull(path) !== null
  );
}
