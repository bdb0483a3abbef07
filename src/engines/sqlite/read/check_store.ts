/** Checks what the engine itself keeps: pages, meta rows, the ledger's chain, and main's copy of it. */

import { checksumOf } from "../../../canonical/checksum.ts";
import { CHAIN_EVENTS_PER_BATCH } from "../../../limits.ts";
import { encodeCounts, encodeHashes, firstHead, verifyChain } from "../../../engine/chain.ts";
import type { CheckCollector } from "../../../engine/check_collector.ts";
import { toHex } from "../../../canonical/keyed_hash.ts";
import type { RecordedEvent } from "../../../engine/operation.ts";
import type { Row } from "../../../engine/values.ts";
import { assertAgreement } from "../database/agreement.ts";
import { COUNT_DELETIONS_BEFORE_FIRST, SELECT_DELETIONS_AFTER } from "../database/applied_events.ts";
import { assertSchema } from "../database/assert_schema.ts";
import type { Connection } from "../database/connection.ts";
import { type DatabaseKind, LEDGER, MAIN } from "../database/database.ts";
import { isTruncated } from "../database/file_facts.ts";
import type { Ledger } from "../database/ledger.ts";
import { checkWorks } from "../database/ledger_works.ts";
import { readMainMeta } from "../database/main_meta.ts";

const INTEGRITY_CHECK = "PRAGMA integrity_check(100)";

/** What is checked, and how it is read: `read` retries while a lock is held. */
export interface CheckedParts {
  readonly main: Connection;
  readonly ledger: Ledger;
  readonly read: <T>(call: () => T) => Promise<T>;
}

/** Checks both files; reports damage to the collector. */
export async function checkStore(parts: CheckedParts, collector: CheckCollector): Promise<void> {
  const { main, ledger, read } = parts;
  for (const [kind, connection] of [[MAIN, main], [LEDGER, ledger.connection]] as const) {
    await checkSchema(parts, { kind, connection }, collector);
    await checkPages(parts, connection, collector);
    await collector.batch("pages", 0);
  }
  try {
    await read(() => assertAgreement(readMainMeta(main), ledger, ledger.readMeta()));
  } catch (error) {
    collector.caught("main", "meta", error);
  }
  await collector.batch("meta", 2);
  await checkChain(parts, collector);
  try {
    await read(() => checkWorks(ledger.connection, collector));
  } catch (error) {
    collector.caught("ledger", "works", error);
  }
}

async function checkSchema(
  { read }: Pick<CheckedParts, "read">,
  { kind, connection }: { readonly kind: DatabaseKind; readonly connection: Connection },
  collector: CheckCollector,
): Promise<void> {
  try {
    await read(() => assertSchema(connection, kind));
  } catch (error) {
    collector.caught(kind.name, "schema", error);
  }
}

// `checksum` is in no index, and `+expires` cannot select one: so SQLite reads the table itself.
const COUNT_RECORDS =
  `SELECT (SELECT count(*) FROM records INDEXED BY records_by_expiry WHERE expires IS NOT NULL),
  (SELECT count(*) FROM records WHERE tenant > '' AND +expires IS NOT NULL AND checksum >= 0)`;

const COUNT_OPERATIONS =
  `SELECT (SELECT count(*) FROM operations INDEXED BY operations_by_time WHERE scope_hash > x''),
  (SELECT count(*) FROM operations WHERE scope_hash > x'' AND checksum >= 0)`;

/**
 * Counts of rows by index and by table, for tables that no stored total covers.
 *
 * SQLite's own check skips the indexes of a table without rows: it finds a table intact whose only page was replaced
 * by an empty one.
 */
const COUNTED_TWICE: readonly (readonly [table: string, sql: string])[] = [
  ["records", COUNT_RECORDS],
  ["operations", COUNT_OPERATIONS],
];

/** Messages that an event says were deleted, of which no floor keeps a client from sending them again. */
const COUNT_UNRESERVED_MESSAGES = `WITH RECURSIVE deleted (scope_hash, hashes, place) AS (
  SELECT scope_hash, hashes, 1 FROM deletions WHERE kind = 'turn' AND octet_length(hashes) > 0
  UNION ALL
  SELECT scope_hash, hashes, place + 16 FROM deleted WHERE place + 16 <= octet_length(hashes))
  SELECT count(*) FROM deleted WHERE NOT EXISTS (SELECT 1 FROM floors
  WHERE floors.scope_hash = deleted.scope_hash AND floors.key_hash = substr(deleted.hashes, deleted.place, 16))
  AND NOT EXISTS (SELECT 1 FROM deletions WHERE deletions.key_hash = deleted.scope_hash AND deletions.reserved = 1)`;

function checkCounts(connection: Connection, collector: CheckCollector): void {
  for (const [table, sql] of COUNTED_TWICE) {
    const [indexed, rows] = connection.get(sql)!;
    if (indexed !== rows) collector.problem("main", table, "The table has other rows than its index");
  }
  const [unreserved] = connection.get(COUNT_UNRESERVED_MESSAGES)!;
  if (unreserved !== 0) collector.problem("main", "floors", `${unreserved} deleted messages could come back`);
}

/** Checks the pages of a file. */
export async function checkPages(
  { read }: Pick<CheckedParts, "read">,
  connection: Connection,
  collector: CheckCollector,
): Promise<void> {
  try {
    for (const [message] of await read(() => connection.all(INTEGRITY_CHECK))) {
      if (message !== "ok") collector.problem(connection.name, "pages", String(message));
    }
    if (await read(() => isTruncated(connection))) {
      collector.problem(connection.name, "pages", "The file is shorter than its pages");
    }
    if (connection.name === "main") await read(() => checkCounts(connection, collector));
  } catch (error) {
    collector.caught(connection.name, "pages", error);
  }
}

/**
 * Checks that every event follows from the one before, and that main applied what the ledger recorded.
 *
 * Main is read first: the ledger may advance meanwhile, and is never behind main.
 */
export async function checkChain(
  { main, ledger, read }: CheckedParts,
  collector: CheckCollector,
): Promise<void> {
  try {
    const applied = await read(() => readApplied(main, collector));
    const { lineage, count } = await read(() => ledger.readMeta());
    await read(() => checkNothingBeforeFirst(ledger, collector));
    let place = { sequence: 0, head: firstHead(lineage) };
    while (place.sequence < count) {
      const { sequence } = place;
      const events = await read(() => ledger.eventsAfter(sequence, CHAIN_EVENTS_PER_BATCH));
      if (events.length === 0) {
        collector.problem("ledger", "events", "Events are missing");
        return;
      }
      await read(() => compareCopies(main, events.filter((event) => event.sequence <= applied), collector));
      place = verifyChain(events, place);
      await collector.batch("deletions", events.length);
    }
  } catch (error) {
    collector.caught("ledger", "events", error);
  }
}

const COUNT_BEFORE_FIRST = `SELECT count(*) FROM events WHERE sequence < 1`;

/** Reports events before the first, which following the chain would not find. */
export function checkNothingBeforeFirst({ connection }: Ledger, collector: CheckCollector): void {
  if (connection.get(COUNT_BEFORE_FIRST)![0] === 0) return;
  collector.problem("ledger", "events", "There are events before the first");
}

const SELECT_LAST_DELETION = `SELECT coalesce(max(sequence), 0) FROM deletions`;

/** Reads how many events main has applied; in the same snapshot it must have as many copies. */
function readApplied(main: Connection, collector: CheckCollector): number {
  main.begin("deferred");
  try {
    const { applied } = readMainMeta(main);
    const last = main.get(SELECT_LAST_DELETION)![0];
    const before = main.get(COUNT_DELETIONS_BEFORE_FIRST)![0];
    main.commit();
    if (last !== applied || before !== 0) {
      collector.problem("main", "deletions", "There are not as many deletions as were applied");
    }
    return applied;
  } catch (error) {
    throw main.abandon(error);
  }
}

function compareCopies(main: Connection, events: readonly RecordedEvent[], collector: CheckCollector): void {
  const [first] = events;
  if (first === undefined) return;
  const copies = new Map<unknown, Row>();
  for (const row of main.all(SELECT_DELETIONS_AFTER, first.sequence - 1, events.length)) {
    copies.set(row[0], row);
  }
  for (const event of events) {
    const row = copies.get(event.sequence);
    if (row === undefined || !isCopy(row, event)) {
      collector.problem(
        "main",
        "deletions",
        "A deletion differs from the ledger's event",
        `${event.sequence}`,
      );
    }
  }
}

function isCopy(row: Row, event: RecordedEvent): boolean {
  const { batch, kind, scopeHash, keyHash, reserved, floor, at, counts, head, hashes } = event;
  const same = row[1] === batch && row[2] === kind && toHex(row[3] as Uint8Array) === toHex(scopeHash) &&
    toHex(row[4] as Uint8Array) === toHex(keyHash) && row[5] === (reserved ? 1 : 0) && row[6] === floor &&
    row[7] === at && row[8] === encodeCounts(counts) && row[9] === head &&
    toHex(row[10] as Uint8Array) === toHex(encodeHashes(hashes));
  return same && checksumOf(...row.slice(0, 11)) === row[11];
}
