/** Queries for main's copy of the events that were applied to it. */

import { checksumOf } from "../../../canonical/checksum.ts";
import {
  allRows,
  type AppliedEvents,
  getRow,
  type Operation,
  type RecordedEvent,
} from "../../../engine/operation.ts";
import type { Row } from "../../../engine/values.ts";
import { IntegrityError } from "../../../errors.ts";
import { EVENT_COLUMNS, toRecordedEvent } from "./ledger.ts";

// Not from the table's descriptor, which would be loaded whenever a store is opened.
const SELECT_HEAD = `SELECT head FROM deletions WHERE sequence = $1`;

const SELECT_EVENT = `SELECT ${EVENT_COLUMNS}, checksum FROM deletions WHERE sequence = $1`;

const SELECT_EVENTS =
  `SELECT ${EVENT_COLUMNS}, checksum FROM deletions WHERE key_hash = $1 ORDER BY sequence`;

/** Main's copies of events after one, oldest first. Parameters: a sequence, how many. */
export const SELECT_DELETIONS_AFTER =
  `SELECT ${EVENT_COLUMNS}, checksum FROM deletions WHERE sequence > $1 ORDER BY sequence LIMIT $2`;

/** Copies before the first, which following the chain would not find. */
export const COUNT_DELETIONS_BEFORE_FIRST = `SELECT count(*) FROM deletions WHERE sequence < 1`;

/** Stateless: each query runs in the transaction that uses it. */
export const APPLIED_EVENTS: AppliedEvents = {
  *headAt(sequence): Operation<string | null> {
    return ((yield* getRow(SELECT_HEAD, sequence))?.[0] ?? null) as string | null;
  },
  *eventAt(sequence): Operation<RecordedEvent | null> {
    const row = yield* getRow(SELECT_EVENT, sequence);
    return row === undefined ? null : toAppliedEvent(row);
  },
  *eventsOf(keyHash): Operation<readonly RecordedEvent[]> {
    return (yield* allRows(SELECT_EVENTS, keyHash)).map(toAppliedEvent);
  },
};

/** Validates a row with the columns `sequence` to `checksum`. */
export function toAppliedEvent(row: Row): RecordedEvent {
  if (checksumOf(...row.slice(0, 11)) !== row[11]) {
    throw new IntegrityError("Cannot use store: the checksum of a deletion does not match", {
      details: { table: "deletions" },
    });
  }
  return toRecordedEvent(row);
}
