/**
 * Replaces a lost ledger, from an export of it or from the backup. The new one names the live store from the start.
 */

import type { FilePath } from "../files/store_path.ts";
import type { WorkFile } from "../files/work_file.ts";
import { CHAIN_EVENTS_PER_BATCH } from "../../../limits.ts";
import { assertSchema } from "../database/assert_schema.ts";
import { readDeletions } from "../read/check_copy.ts";
import type { Connection } from "../database/connection.ts";
import { LEDGER, LEDGER_EXPORT, MAIN } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { upgradeSchema } from "../database/formats.ts";
import { Ledger } from "../database/ledger.ts";
import type { MainMeta } from "../database/main_meta.ts";
import { copySource, inspectSource } from "./restore_source.ts";
import { requireIntactLedger } from "../read/require_intact.ts";
import { WorkDatabase } from "../database/work_database.ts";

/** Copies an exported ledger, and checks the copy; the export is not changed. */
export async function copyLedger(
  from: FilePath,
  work: WorkFile,
  { driver, signal }: { readonly driver: SqliteDriver; readonly signal: AbortSignal | undefined },
): Promise<WorkDatabase> {
  const source = inspectSource(from, [LEDGER_EXPORT, LEDGER], driver);
  await copySource(source, work, { driver, signal, onBytes: () => {} });
  const { kind } = source;
  const copy = WorkDatabase.open(kind, work.path, driver);
  try {
    assertSchema(copy.connection, kind);
    await requireIntactLedger(new Ledger(copy.connection), signal);
    return copy;
  } catch (error) {
    copy[Symbol.dispose]();
    throw error;
  }
}

/** Turns such a copy into the ledger of the restored store. */
export function markLive(ledger: Ledger, { generation, epoch }: MainMeta): void {
  const { connection } = ledger;
  connection.begin("immediate");
  connection.get(LEDGER.setApplicationId);
  ledger.updateMeta({ ...ledger.readMeta(), generation, epoch, announced: null });
  connection.commit();
}

/** Creates a ledger from the copies of its events in the restored store. */
export function makeLedger(ledgerWork: WorkFile, work: WorkFile, meta: MainMeta, driver: SqliteDriver): void {
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
