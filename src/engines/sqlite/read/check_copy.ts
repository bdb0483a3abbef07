/** Checks a work file: the copy that a backup created, or that a restore prepares. */

import { CHAIN_EVENTS_PER_BATCH } from "../../../limits.ts";
import { type ChainPlace, firstHead, verifyChain } from "../../../engine/chain.ts";
import type { CheckCollector } from "../../../engine/check_collector.ts";
import type { CheckRows } from "../../../engine/engine.ts";
import type { RecordedEvent } from "../../../engine/operation.ts";
import { checkNothingBeforeFirst, checkPages } from "./check_store.ts";
import type { DatabaseKind } from "../database/database.ts";
import type { Connection } from "../database/connection.ts";
import {
  COUNT_DELETIONS_BEFORE_FIRST,
  SELECT_DELETIONS_AFTER,
  toAppliedEvent,
} from "../database/applied_events.ts";
import { Ledger } from "../database/ledger.ts";
import { readMainMeta } from "../database/main_meta.ts";
import type { WorkDatabase } from "../database/work_database.ts";

/** Checks pages, meta row, chain of deletions, and rows; reports damage to the collector. */
export async function checkCopy(
  kind: DatabaseKind,
  work: WorkDatabase,
  collector: CheckCollector,
  checkRows: CheckRows,
): Promise<void> {
  const { connection } = work;
  await checkPagesOf(work, collector);
  try {
    if (kind.name === "ledger") await checkEvents(new Ledger(connection), collector);
    else await checkDeletions(connection, collector);
  } catch (error) {
    collector.caught(kind.name, "meta", error);
  }
  if (kind.name !== "ledger") await checkRows(work, collector);
}

/** Checks the pages alone: until they are known to be intact, nothing else can be relied on. */
export async function checkPagesOf(
  { connection }: { readonly connection: Connection },
  collector: CheckCollector,
): Promise<void> {
  await checkPages({ read: (call) => Promise.try(call) }, connection, collector);
  await collector.batch("pages", 0);
}

async function checkEvents(ledger: Ledger, collector: CheckCollector): Promise<void> {
  checkNothingBeforeFirst(ledger, collector);
  const { lineage, count, head } = ledger.readMeta();
  const place = await follow(lineage, (after, limit) => ledger.eventsAfter(after, limit), collector);
  if (place.sequence !== count || place.head !== head) {
    collector.problem("ledger", "events", "The events do not lead to the head");
  }
}

async function checkDeletions(connection: Connection, collector: CheckCollector): Promise<void> {
  const { lineage, applied, appliedHead } = readMainMeta(connection);
  const place = await follow(lineage, (after, limit) => readDeletions(connection, after, limit), collector);
  const before = connection.get(COUNT_DELETIONS_BEFORE_FIRST)![0];
  if (place.sequence !== applied || place.head !== appliedHead || before !== 0) {
    collector.problem("main", "deletions", "The deletions do not lead to the head");
  }
}

async function follow(
  lineage: string,
  read: (after: number, limit: number) => readonly RecordedEvent[],
  collector: CheckCollector,
): Promise<ChainPlace> {
  let place: ChainPlace = { sequence: 0, head: firstHead(lineage) };
  for (;;) {
    const events = read(place.sequence, CHAIN_EVENTS_PER_BATCH);
    place = verifyChain(events, place);
    await collector.batch("deletions", events.length);
    if (events.length < CHAIN_EVENTS_PER_BATCH) return place;
  }
}

/** Reads main's copies of events, oldest first. */
export function readDeletions(main: Connection, after: number, limit: number): readonly RecordedEvent[] {
  return main.all(SELECT_DELETIONS_AFTER, after, limit).map(toAppliedEvent);
}
