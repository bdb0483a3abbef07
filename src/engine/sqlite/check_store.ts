/** Checks what the engine itself keeps: pages, meta rows, the ledger's chain, and main's copy of it. */

import { checksumOf } from "../../canonical/checksum.ts";
import { CHAIN_EVENTS_PER_BATCH } from "../../limits.ts";
import { encodeCounts, firstHead, verifyChain } from "../chain.ts";
import type { CheckCollector } from "../check.ts";
import { toHex } from "../../canonical/keyed_hash.ts";
import type { RecordedEvent } from "../operation.ts";
import { assertAgreement } from "./agreement.ts";
import type { Connection } from "./connection.ts";
import type { Row } from "./driver.ts";
import type { Ledger } from "./ledger.ts";
import { readMainMeta } from "./main_meta.ts";

const INTEGRITY_CHECK = "PRAGMA integrity_check(100)";

const SELECT_DELETIONS =
  `SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head, checksum
  FROM deletions WHERE sequence > $1 ORDER BY sequence LIMIT $2`;

/** Looks through both files; what is damaged goes to the collector. */
export async function checkStore(main: Connection, ledger: Ledger, collector: CheckCollector): Promise<void> {
  for (const connection of [main, ledger.connection]) {
    checkPages(connection, collector);
    await collector.batch("pages", 0);
  }
  try {
    assertAgreement(readMainMeta(main), ledger, ledger.readMeta());
  } catch (error) {
    collector.caught("main", "meta", error);
  }
  await collector.batch("meta", 2);
  await checkChain(main, ledger, collector);
}

function checkPages(connection: Connection, collector: CheckCollector): void {
  try {
    for (const [message] of connection.all(INTEGRITY_CHECK)) {
      if (message !== "ok") collector.problem(connection.name, "pages", String(message));
    }
  } catch (error) {
    collector.caught(connection.name, "pages", error);
  }
}

/** Every event follows from the one before, and what main applied equals what the ledger recorded. */
export async function checkChain(main: Connection, ledger: Ledger, collector: CheckCollector): Promise<void> {
  try {
    const { lineage, count } = ledger.readMeta();
    const { applied } = readMainMeta(main);
    let place = { sequence: 0, head: firstHead(lineage) };
    while (place.sequence < count) {
      const events = ledger.eventsAfter(place.sequence, CHAIN_EVENTS_PER_BATCH);
      if (events.length === 0) {
        collector.problem("ledger", "events", "Events are missing");
        return;
      }
      compareCopies(main, events.filter((event) => event.sequence <= applied), collector);
      place = verifyChain(events, place);
      await collector.batch("deletions", events.length);
    }
    const extra = main.all(SELECT_DELETIONS, applied, 1);
    if (extra.length > 0) {
      collector.problem("main", "deletions", "There are more deletions than were applied");
    }
  } catch (error) {
    collector.caught("ledger", "events", error);
  }
}

function compareCopies(main: Connection, events: readonly RecordedEvent[], collector: CheckCollector): void {
  const [first] = events;
  if (first === undefined) return;
  const copies = new Map<unknown, Row>();
  for (const row of main.all(SELECT_DELETIONS, first.sequence - 1, events.length)) copies.set(row[0], row);
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
  const { batch, kind, scopeHash, keyHash, burned, floor, at, counts, head } = event;
  const same = row[1] === batch && row[2] === kind && toHex(row[3] as Uint8Array) === toHex(scopeHash) &&
    toHex(row[4] as Uint8Array) === toHex(keyHash) && row[5] === (burned ? 1 : 0) && row[6] === floor &&
    row[7] === at && row[8] === encodeCounts(counts) && row[9] === head;
  return same && checksumOf(...row.slice(0, 10)) === row[10];
}
