/** Applies events that the ledger has and main lacks: the second half of an interrupted deletion. */

import { because, IntegrityError } from "../../../errors.ts";
import { verifyChain } from "../../../engine/chain.ts";
import type { ClockReading } from "../../../engine/effective_time.ts";
import type { RecordedEvent } from "../../../engine/operation.ts";
import { APPLIED_EVENTS } from "../database/applied_events.ts";
import { assertAgreement } from "../database/agreement.ts";
import type { Connection } from "../database/connection.ts";
import { insertDeletions } from "./deletions.ts";
import { GroupTransaction } from "../../../engine/group_transaction.ts";
import { type MainMeta, updateMainMeta } from "../database/main_meta.ts";
import type { StoreParts } from "../database/store_parts.ts";

const INSERT_DIRTY = `INSERT INTO dirty (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`;

/** Marks tables that have to be rewritten. */
export function insertDirty(main: Connection, tables: readonly string[]): void {
  for (const table of tables) main.run(INSERT_DIRTY, table);
}

/** What applying events needs. */
export interface ApplyParts extends Pick<StoreParts, "main" | "apply"> {
  /** The clock as it was read before the transaction. */
  readonly clock: ClockReading;
}

/**
 * Applies one batch and commits it alone, so that no later error can undo it.
 *
 * Must run within main's write transaction, which it commits.
 */
export function catchUp(parts: ApplyParts & Pick<StoreParts, "ledger">, meta: MainMeta): void {
  const { main, ledger } = parts;
  const { meta: ledgerMeta, events } = ledger.since(meta.applied);
  assertAgreement(meta, ledger, ledgerMeta);
  if (events.some((event) => event.batch !== meta.applied + 1)) {
    throw new IntegrityError("Cannot use store: main is older than its ledger; restore it", {
      details: because("older-main", { recorded: ledgerMeta.count, applied: meta.applied }),
    });
  }
  applyEvents(parts, meta, events);
  if (meta.applied !== ledgerMeta.count || meta.appliedHead !== ledgerMeta.head) {
    throw new IntegrityError("Cannot use ledger: its events do not lead to its head");
  }
  updateMainMeta(main, meta);
  main.commit();
}

/** Applies the events after main's last one, and updates `meta`. Must run within main's write transaction. */
export function applyEvents(parts: ApplyParts, meta: MainMeta, events: readonly RecordedEvent[]): void {
  const { main, clock, apply } = parts;
  const place = verifyChain(events, { sequence: meta.applied, head: meta.appliedHead });
  const transaction = new GroupTransaction(clock, meta, APPLIED_EVENTS);
  for (const event of events) main.drive(apply(transaction, event, meta.hashKey));
  insertDeletions(main, events);
  insertDirty(main, transaction.dirty);
  meta.applied = place.sequence;
  meta.appliedHead = place.head;
  meta.verified = place.sequence;
  meta.counter = transaction.counter;
}
