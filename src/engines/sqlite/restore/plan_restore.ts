/** Validates the sources of a restore without copying or changing anything. */

import type { Watermark } from "../../../contracts/watermark.ts";
import { because, IntegrityError } from "../../../errors.ts";
import { assertFree } from "../files/work_file.ts";
import { assertSchema } from "../database/assert_schema.ts";
import { Connection } from "../database/connection.ts";
import { BACKUP, LEDGER, LEDGER_EXPORT, MAIN } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { Ledger } from "../database/ledger.ts";
import { type MainMeta, readMainMeta } from "../database/main_meta.ts";
import { Opening } from "../open/open_store.ts";
import * as ownFile from "../database/own_file.ts";
import { verifyLedgerContinues } from "./prepare_restored.ts";
import { requireIntactLedger } from "../read/require_intact.ts";
import { inspectSource, type RestoreSource } from "./restore_source.ts";
import { openExistingLedger, type RestorePaths } from "./restore_store.ts";

/** Options of a restore that is validated. */
interface Validated {
  readonly driver: SqliteDriver;
  /** What the ledger must contain; null if the ledger is lost. */
  readonly watermark: Watermark | null;
  readonly signal: AbortSignal | undefined;
}

/** Number of deletions that would be applied; null if only a copy could show it. */
export type NewerDeletions = number | null;

/**
 * Validates backup, ledger and watermark as a restore does before it copies.
 *
 * Only a restore finds damage inside the backup, because it checks a copy of it.
 */
export async function validateRestore(
  { backup, ledger, ledgerExport }: Omit<RestorePaths, "main">,
  { driver, watermark, signal }: Validated,
): Promise<NewerDeletions> {
  const found = inspectSource(backup, [BACKUP, MAIN], driver);
  using source = openAlone(found, BACKUP.what, driver);
  if (source !== null) assertSchema(source.connection, { ...MAIN, what: BACKUP.what });
  const meta = source === null ? null : readMainMeta(source.connection);
  const lineage = meta?.lineage ?? found.facts.lineage;
  if (watermark === null || ledgerExport !== null) assertFree(ledger);
  if (watermark === null) return 0;
  if (ledgerExport !== null) {
    const exported = inspectSource(ledgerExport, [LEDGER_EXPORT, LEDGER], driver);
    using copy = openAlone(exported, exported.kind.what, driver);
    if (copy === null) return null;
    assertSchema(copy.connection, exported.kind);
    return await validateLedger(new Ledger(copy.connection), { meta, lineage }, { watermark, signal });
  }
  const opening = new Opening(driver, { readOnly: true, ownFile });
  try {
    return await validateLedger(openExistingLedger(opening, ledger), { meta, lineage }, {
      watermark,
      signal,
    });
  } finally {
    opening.close();
  }
}

async function validateLedger(
  ledger: Ledger,
  { meta, lineage }: { readonly meta: MainMeta | null; readonly lineage: string | null },
  { watermark, signal }: { readonly watermark: Watermark; readonly signal: AbortSignal | undefined },
): Promise<NewerDeletions> {
  await requireIntactLedger(ledger, signal);
  const { count, lineage: own } = ledger.readMeta();
  await verifyLedgerContinues(ledger, meta, { watermark, signal });
  if (meta !== null) return count - meta.applied;
  if (lineage !== null && lineage !== own) {
    throw new IntegrityError("Cannot restore: the backup and the ledger belong to different stores", {
      details: because("other-ledger"),
    });
  }
  return null;
}

/** Opens a file for reading; null if SQLite would create a log next to it. A restore would then refuse the file. */
function openAlone(
  { file, kind, facts }: RestoreSource,
  what: string,
  driver: SqliteDriver,
): { readonly connection: Connection } & Disposable | null {
  if (facts.keepsLog) return null;
  const connection = Connection.open(kind.name, driver, file.path, { readOnly: true, what });
  return { connection, [Symbol.dispose]: () => connection.close() };
}
