/** Applies what the ledger has recorded and main has not: the second half of a deletion whose process did not finish. */

import { IntegrityError } from "../../errors.ts";
import { verifyChain } from "../chain.ts";
import type { Connection } from "./connection.ts";
import { insertDeletions } from "./deletions.ts";
import { GroupTransaction } from "./group_transaction.ts";
import type { LedgerMeta } from "./ledger.ts";
import { type MainMeta, updateMainMeta } from "./main_meta.ts";
import type { StoreParts } from "./write_group.ts";

const INSERT_DIRTY = `INSERT INTO dirty (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`;

/** Marks tables as due for a rewrite. */
export function insertDirty(main: Connection, tables: readonly string[]): void {
  for (const table of tables) main.run(INSERT_DIRTY, table);
}

/**
 * Applies one batch and commits it alone, so that no later refusal can take it back. Within main's write transaction;
 * commits it.
 */
export function catchUp(
  parts: Pick<StoreParts, "main" | "ledger" | "time" | "apply">,
  meta: MainMeta,
  ledgerMeta: LedgerMeta,
): void {
  const { main, ledger, time, apply } = parts;
  const events = ledger.eventsAfter(meta.applied, ledgerMeta.count - meta.applied);
  if (events.some((event) => event.batch !== meta.applied + 1)) {
    throw new IntegrityError("Cannot use store: main is older than its ledger; restore it", {
      details: { recorded: ledgerMeta.count, applied: meta.applied },
    });
  }
  const place = verifyChain(events, { sequence: meta.applied, head: meta.appliedHead });
  if (place.sequence !== ledgerMeta.count || place.head !== ledgerMeta.head) {
    throw new IntegrityError("Cannot use ledger: its events do not lead to its head");
  }
  const transaction = new GroupTransaction(time, meta.counter);
  for (const event of events) main.drive(apply(transaction, event, meta.hashKey));
  insertDeletions(main, events);
  insertDirty(main, transaction.dirty);
  meta.applied = place.sequence;
  meta.appliedHead = place.head;
  meta.verified = place.sequence;
  meta.counter = transaction.counter;
  updateMainMeta(main, meta);
  main.commit();
}
