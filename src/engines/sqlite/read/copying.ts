/** Copies a snapshot of a database, row by row, into a work file. Deleted content leaves no trace in the copy. */

import { monotonicMs, yieldIfBusy } from "../../../clock.ts";
import { IntegrityError } from "../../../errors.ts";
import { COPIED_ROWS_PER_BATCH } from "../../../limits.ts";
import type { BackupReport } from "../../../contracts/options/backup_options.ts";
import type { TableCopy } from "../../../tables/schema/dialects.ts";
import type { Connection } from "../database/connection.ts";
import { type DatabaseKind, schemaVersion } from "../database/database.ts";
import { type Format, FORMATS, upgradeSchema } from "../database/formats.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { Ledger } from "../database/ledger.ts";
import { readMainMeta } from "../database/main_meta.ts";
import { retryWhileBusy } from "../database/retry_while_busy.ts";
import { WorkDatabase } from "../database/work_database.ts";

/** The position of a store's file: which store it belongs to, and what was deleted so far. */
type StorePlace = Pick<BackupReport, "lineage" | "generation" | "epoch" | "watermark">;

/** How a file is copied. */
interface CopyOptions {
  /** Cancels between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows of a table that were copied so far. */
  readonly onRows?: ((table: string, rows: number) => void) | undefined;
}

/** Where to copy from and to. */
interface CopyParts {
  /** The store's own connection. */
  readonly own: Connection;
  /** Opens another connection to the same file; null for a store in memory. */
  readonly openReader: (() => Connection) | null;
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
}

/**
 * Copies main or the ledger.
 *
 * A separate connection holds a snapshot in a read transaction, so that no writer makes the copy start over. A store
 * in memory has only one connection, and is copied without yielding.
 */
export async function copyDatabase(
  kind: DatabaseKind,
  path: string,
  parts: CopyParts,
  options: CopyOptions,
): Promise<StorePlace> {
  using work = WorkDatabase.open(kind, path, parts.driver);
  if (parts.openReader === null) return copyAtOnce(kind, parts.own, work.connection, options);
  const deadlineMs = monotonicMs() + parts.busyTimeoutMs;
  const source = await retryWhileBusy(deadlineMs, parts.openReader);
  try {
    const { place, version } = await retryWhileBusy(deadlineMs, () => beginReading(kind, source));
    await copyRows(source, work.connection, { format: FORMATS[kind.name], version }, options);
    return place;
  } finally {
    source.close();
  }
}

function copyAtOnce(
  kind: DatabaseKind,
  source: Connection,
  target: Connection,
  { onRows }: CopyOptions,
): StorePlace {
  const { place, version } = beginReading(kind, source);
  let copied: readonly Copied[];
  try {
    copied = [...copying(source, target, { format: FORMATS[kind.name], version })];
  } finally {
    source.rollback();
  }
  // Reported afterwards: a caller's callback must not run while the store's own connection is in a transaction.
  for (const { name, rows } of copied) onRows?.(name, rows);
  return place;
}

/**
 * Begins a read transaction, and reads what can be busy here, where the caller retries. The first read starts the
 * snapshot.
 */
function beginReading(
  kind: DatabaseKind,
  source: Connection,
): { readonly place: StorePlace; readonly version: number } {
  try {
    source.begin("deferred");
    return { place: readPlace(kind, source), version: schemaVersion(source) };
  } catch (error) {
    throw source.abandon(error);
  }
}

/** The schema of the tables to copy. */
interface Shape {
  readonly format: Format;
  /** Schema version, the same in the copy. */
  readonly version: number;
}

/** Copies what a transaction on the source sees, and yields to the event loop between batches. */
export async function copyRows(
  source: Connection,
  target: Connection,
  shape: Shape,
  { signal, onRows }: CopyOptions,
): Promise<void> {
  for (const { name, rows } of copying(source, target, shape)) {
    onRows?.(name, rows);
    await yieldIfBusy();
    signal?.throwIfAborted();
  }
}

interface Copied {
  readonly name: string;
  /** Rows of that table so far. */
  readonly rows: number;
}

/** Creates the same version of the schema, and copies each table into it, in one transaction. */
function* copying(
  source: Connection,
  target: Connection,
  { format, version }: Shape,
): Generator<Copied, void> {
  target.begin("immediate");
  upgradeSchema(target, format, version);
  for (const table of format.copies.get(version)!) yield* copyTable(table, source, target);
  target.commit();
}

function* copyTable(table: TableCopy, source: Connection, target: Connection): Generator<Copied, void> {
  let after = table.start;
  let rows = 0;
  for (;;) {
    const page = source.all(table.select, ...after, COPIED_ROWS_PER_BATCH);
    for (const row of page) target.run(table.insert, ...row);
    rows += page.length;
    yield { name: table.name, rows };
    if (page.length < COPIED_ROWS_PER_BATCH) break;
    after = page.at(-1)!.slice(0, table.start.length);
  }
  if (source.get(table.count)![0] !== rows) {
    throw new IntegrityError("Cannot copy store: a table has rows that its keys do not lead to", {
      details: { table: table.name },
    });
  }
}

function readPlace(kind: DatabaseKind, source: Connection): StorePlace {
  if (kind.name === "ledger") {
    const { lineage, generation, epoch, count, head } = new Ledger(source).readMeta();
    return { lineage, generation, epoch: epoch ?? "", watermark: { lineage, sequence: count, head } };
  }
  const { lineage, generation, epoch, applied, appliedHead } = readMainMeta(source);
  return { lineage, generation, epoch, watermark: { lineage, sequence: applied, head: appliedHead } };
}
