/** What a restore would find: its sources are looked at without copying or changing anything. */

import { because, IntegrityError } from "../../errors.ts";
import { inspectBackup } from "../../files/backup_file.ts";
import { readStart } from "../../files/file_start.ts";
import { lineageOfFile } from "../../files/leftover_log.ts";
import type { FilePath } from "../../files/store_path.ts";
import { assertFree } from "../../files/work_file.ts";
import type { Watermark } from "../engine.ts";
import { assertSchema } from "./assert_schema.ts";
import { Connection } from "./connection.ts";
import { BACKUP, type DatabaseKind, LEDGER, LEDGER_EXPORT, MAIN } from "./database.ts";
import type { SqliteDriver } from "./driver.ts";
import { Ledger } from "./ledger.ts";
import { type MainMeta, readMainMeta } from "./main_meta.ts";
import { Opening } from "./open_store.ts";
import { assertAuthority } from "./prepare_restored.ts";
import { requireSoundLedger } from "./require_sound.ts";
import { openAuthority, type RestorePaths } from "./restore_store.ts";

/** How a restore would be made. */
interface Judged {
  readonly driver: SqliteDriver;
  /** What the ledger must have; null if the ledger is lost. */
  readonly watermark: Watermark | null;
  readonly signal: AbortSignal | undefined;
}

/** Deletions that would be applied; null where only a copy could tell. */
export type NewerDeletions = number | null;

/**
 * Judges backup, ledger and watermark as a restore does before it copies. What is damaged inside the backup only a
 * restore finds, since it looks through a copy of it.
 */
export async function judgeRestore(
  { backup, ledger, ledgerExport }: Omit<RestorePaths, "main">,
  { driver, watermark, signal }: Judged,
): Promise<NewerDeletions> {
  const { kind } = inspectBackup(backup, [BACKUP, MAIN]);
  using source = openAlone({ ...kind, what: BACKUP.what }, backup, driver);
  if (source !== null) assertSchema(source.connection, { ...MAIN, what: BACKUP.what });
  const meta = source === null ? null : readMainMeta(source.connection);
  const lineage = meta?.lineage ?? lineageOfFile(backup.path);
  if (watermark === null || ledgerExport !== null) assertFree(ledger);
  if (watermark === null) return 0;
  if (ledgerExport !== null) {
    const { kind } = inspectBackup(ledgerExport, [LEDGER_EXPORT, LEDGER]);
    using copy = openAlone(kind, ledgerExport, driver);
    if (copy === null) return null;
    assertSchema(copy.connection, kind);
    return await judgeLedger(new Ledger(copy.connection), { meta, lineage }, { watermark, signal });
  }
  const opening = new Opening(driver, { readOnly: true });
  try {
    return await judgeLedger(openAuthority(opening, ledger), { meta, lineage }, { watermark, signal });
  } finally {
    opening.close();
  }
}

async function judgeLedger(
  ledger: Ledger,
  { meta, lineage }: { readonly meta: MainMeta | null; readonly lineage: string | null },
  { watermark, signal }: { readonly watermark: Watermark; readonly signal: AbortSignal | undefined },
): Promise<NewerDeletions> {
  await requireSoundLedger(ledger, signal);
  const { count, lineage: own } = ledger.readMeta();
  await assertAuthority(ledger, meta, { watermark, signal });
  if (meta !== null) return count - meta.applied;
  if (lineage !== null && lineage !== own) {
    throw new IntegrityError("Cannot restore: the backup and the ledger belong to different stores", {
      details: because("other-ledger"),
    });
  }
  return null;
}

/** The byte of a header that says whether a database keeps a write-ahead log. */
const LOG_OFFSET = 18;
const WRITE_AHEAD = 2;

/** Opens a file for reading; null where SQLite would make a log beside it, which a restore then refuses. */
function openAlone(
  kind: DatabaseKind,
  { path }: FilePath,
  driver: SqliteDriver,
): { readonly connection: Connection } & Disposable | null {
  if (readStart(path, LOG_OFFSET + 1)?.[LOG_OFFSET] === WRITE_AHEAD) return null;
  const connection = Connection.open(kind.name, driver, path, { readOnly: true, what: kind.what });
  return { connection, [Symbol.dispose]: () => connection.close() };
}
