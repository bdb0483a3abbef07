/** Copies a database as it is at one moment, row by row, into a work file: what was deleted leaves no trace in the copy. */

import { monotonicMs, yieldToEventLoop } from "../../clock.ts";
import { IntegrityError } from "../../errors.ts";
import { COPIED_ROWS_PER_BATCH } from "../../limits.ts";
import type { CopyOptions, StorePlace } from "../engine.ts";
import { LEDGER_COPIES, MAIN_COPIES, type TableCopy } from "../schema/copies.ts";
import type { Connection } from "./connection.ts";
import { type DatabaseKind, LEDGER, MAIN } from "./database.ts";
import { upgradeSchema } from "./upgrade_schema.ts";
import type { SqliteDriver } from "./driver.ts";
import { Ledger } from "./ledger.ts";
import { insertMainMeta, readMainMeta } from "./main_meta.ts";
import { patiently } from "./patience.ts";
import { WorkDatabase } from "./work_database.ts";

/** Where to copy from and to. */
export interface CopyParts {
  /** The store's own connection. */
  readonly own: Connection;
  /** Opens a connection of its own to the same file; null for a store in memory. */
  readonly openBeside: (() => Connection) | null;
  readonly driver: SqliteDriver;
  readonly busyTimeoutMs: number;
}

/**
 * Copies main or the ledger. A connection of its own holds one moment in a read transaction, so that no writer makes it
 * start over; a store in memory has only one connection, and is copied in one go.
 */
export async function copyDatabase(
  kind: DatabaseKind,
  path: string,
  parts: CopyParts,
  options: CopyOptions,
): Promise<StorePlace> {
  using work = WorkDatabase.open(kind, path, parts.driver);
  if (parts.openBeside === null) {
    const copying = copyRows(kind, parts.own, work.connection);
    for (;;) {
      const step = copying.next();
      if (step.done === true) return step.value;
      options.onRows?.(step.value.name, step.value.rows);
    }
  }
  const source = parts.openBeside();
  try {
    await patiently(monotonicMs() + parts.busyTimeoutMs, () => beginReading(kind, source));
    const copying = copyRows(kind, source, work.connection);
    for (;;) {
      const step = copying.next();
      if (step.done === true) return step.value;
      options.onRows?.(step.value.name, step.value.rows);
      await yieldToEventLoop();
      options.signal?.throwIfAborted();
    }
  } finally {
    source.close();
  }
}

/** From its first read on, the transaction sees one moment. */
function beginReading(kind: DatabaseKind, source: Connection): void {
  try {
    source.begin("deferred");
    readPlace(kind, source);
  } catch (error) {
    throw source.abandon(error);
  }
}

interface Copied {
  readonly name: string;
  /** Rows of that table so far. */
  readonly rows: number;
}

/** In two transactions: one that reads, begun here unless it was before, and one that writes. */
function* copyRows(
  kind: DatabaseKind,
  source: Connection,
  target: Connection,
): Generator<Copied, StorePlace> {
  if (!source.isTransaction) source.begin("deferred");
  target.begin("immediate");
  try {
    upgradeSchema(target);
    copyMeta(kind, source, target);
    for (const table of kind === MAIN ? MAIN_COPIES : LEDGER_COPIES) yield* copyTable(table, source, target);
    target.commit();
    const place = readPlace(kind, source);
    source.commit();
    return place;
  } catch (error) {
    throw source.abandon(target.abandon(error));
  }
}

function copyMeta(kind: DatabaseKind, source: Connection, target: Connection): void {
  if (kind === LEDGER) new Ledger(target).insertMeta({ ...new Ledger(source).readMeta(), announced: null });
  // The copy has a size of its own.
  else insertMainMeta(target, { ...readMainMeta(source), shrunkBytes: null });
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
  if (kind === LEDGER) {
    const { lineage, generation, epoch, count, head } = new Ledger(source).readMeta();
    return { lineage, generation, epoch: epoch ?? "", watermark: { lineage, sequence: count, head } };
  }
  const { lineage, generation, epoch, applied, appliedHead } = readMainMeta(source);
  return { lineage, generation, epoch, watermark: { lineage, sequence: applied, head: appliedHead } };
}
