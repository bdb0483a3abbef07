/** Upgrades a store of an older release: each file in one transaction, after a backup if requested. */

import { monotonicMs } from "../../../clock.ts";
import { IntegrityError } from "../../../errors.ts";
import { fileIn, type FilePath, type StorePaths } from "../files/store_path.ts";
import { assertFree, type WorkFile } from "../files/work_file.ts";
import { CheckCollector } from "../../../engine/check_collector.ts";
import type { Works } from "../files/works_list.ts";
import { RememberedWork } from "../files/remembered_work.ts";
import { checkPagesOf } from "../read/check_copy.ts";
import type { Connection } from "../database/connection.ts";
import { copyRows } from "../read/copying.ts";
import { type DatabaseKind, schemaVersion } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { type Format, FORMATS, upgradeSchema } from "../database/formats.ts";
import { DATABASES, Opening, type OpenStoreOptions } from "./open_store.ts";
import * as ownFile from "../database/own_file.ts";
import { LedgerWorks } from "../database/ledger_works.ts";
import { retryWhileBusy } from "../database/retry_while_busy.ts";
import { WorkDatabase } from "../database/work_database.ts";

/** One of the two files, open. */
interface OpenFile {
  readonly kind: DatabaseKind;
  readonly connection: Connection;
  readonly version: number;
  readonly format: Format;
}

/** Upgrades the files that are older. Other processes that have the store open find a schema they do not know. */
export async function upgradeStore(paths: StorePaths, options: OpenStoreOptions): Promise<void> {
  const { driver, busyTimeoutMs, databases = DATABASES, formats = FORMATS, backupBeforeUpgrade } = options;
  const deadlineMs = monotonicMs() + busyTimeoutMs;
  const opening = new Opening(driver, { readOnly: false, older: true, ownFile });
  try {
    const open = (kind: DatabaseKind, file: FilePath): OpenFile => {
      const { connection, version } = opening.openFile(kind, file);
      return { kind, connection, version, format: formats[kind.name] };
    };
    const files = await retryWhileBusy(deadlineMs, () => [
      open(databases.ledger, paths.ledger),
      open(databases.main, paths.main),
    ]);
    const older = files.filter(({ version, kind }) => version > 0 && version < kind.schemaVersion);
    if (backupBeforeUpgrade !== undefined) {
      const works = new LedgerWorks({ connection: files[0]!.connection, busyTimeoutMs });
      await backUp(older, backupBeforeUpgrade, { driver, deadlineMs, works });
    }
    for (const each of older) await retryWhileBusy(deadlineMs, () => upgrade(each));
  } finally {
    opening.close();
  }
}

function upgrade({ connection, format }: OpenFile): void {
  try {
    connection.begin("immediate");
    upgradeSchema(connection, format);
    connection.commit();
  } catch (error) {
    throw connection.abandon(error);
  }
}

/** Copies main to the destination, and the ledger next to it. */
async function backUp(
  older: readonly OpenFile[],
  destination: FilePath,
  { driver, deadlineMs, works }: {
    readonly driver: SqliteDriver;
    readonly deadlineMs: number;
    readonly works: Works;
  },
): Promise<void> {
  const targets = older.map(({ kind }) =>
    kind.name === "main" ? destination : fileIn(destination.directory, `${destination.name}.deletions`)
  );
  // Both are checked first: a refused call changes nothing, not even the list of work files.
  for (const target of targets) assertFree(target);
  await using stack = new AsyncDisposableStack();
  const copies: WorkFile[] = [];
  for (const target of targets) copies.push(stack.use(await RememberedWork.claim(works, target)).file);
  for (const [index, file] of older.entries()) await copyOlder(file, copies[index]!, driver, deadlineMs);
  for (const copy of copies) copy.publish();
}

async function copyOlder(
  { kind, connection, format }: OpenFile,
  work: WorkFile,
  driver: SqliteDriver,
  deadlineMs: number,
): Promise<void> {
  using copy = WorkDatabase.open(kind, work.path, driver);
  await retryWhileBusy(deadlineMs, () => connection.begin("immediate"));
  try {
    await copyRows(connection, copy.connection, { format, version: schemaVersion(connection) }, {});
  } finally {
    connection.rollback();
  }
  const collector = new CheckCollector({});
  await checkPagesOf(copy, collector);
  if (!collector.report().ok) throw new IntegrityError("Cannot upgrade store: its backup is damaged");
}
