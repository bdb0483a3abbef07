/** Checks that main and ledger belong together, at open, before each write group, after each read. */

import { equalBytes } from "../../../canonical/keyed_hash.ts";
import { because, IntegrityError, StorageError } from "../../../errors.ts";
import { LEDGER_TAIL_EVENTS } from "../../../limits.ts";
import { verifyChain } from "../../../engine/chain.ts";
import type { Row } from "../../../engine/values.ts";
import type { Connection } from "./connection.ts";
import { EVENT_COLUMNS, type Ledger, type LedgerMeta, toRecordedEvent } from "./ledger.ts";
import type { MainMeta } from "./main_meta.ts";

/** The columns of main's meta row that are compared. */
type MainPlace = Pick<MainMeta, "lineage" | "epoch" | "pendingFrom" | "applied" | "appliedHead">;

/** Requires equal lineage and epoch, and that main is a prefix of the ledger. */
export function assertAgreement(main: MainPlace, ledger: Ledger, meta: LedgerMeta): void {
  if (main.lineage !== meta.lineage) {
    throw new IntegrityError("Cannot use store: its ledger belongs to another store", {
      details: because("other-ledger"),
    });
  }
  assertLive(main, meta);
  if (meta.count < main.applied) {
    throw new IntegrityError("Cannot use store: its ledger lacks deletions that were applied", {
      details: because("older-ledger", { recorded: meta.count, applied: main.applied }),
    });
  }
  if (ledger.headAt(main.applied, meta) !== main.appliedHead) {
    throw new IntegrityError("Cannot use store: its ledger has another history of deletions", {
      details: because("other-history", { applied: main.applied }),
    });
  }
}

const SELECT_COPIES = `SELECT ${EVENT_COLUMNS} FROM deletions WHERE sequence > $1 ORDER BY sequence LIMIT $2`;

/**
 * Verifies the ledger's file size, and that its newest events are intact and lead to the head.
 *
 * An event is intact if main has an equal copy of it. The hash chain is recomputed only if a copy differs or is
 * missing, because hashing loads a library that takes longer than the rest of opening a store.
 *
 * @throws {IntegrityError} if any of it is damaged or missing
 */
export function verifyTail(main: Connection, ledger: Ledger): void {
  const { meta, rows } = ledger.tail();
  if (meta.count === 0) return;
  const sequence = Math.max(0, meta.count - LEDGER_TAIL_EVENTS);
  const copies = main.all(SELECT_COPIES, sequence, LEDGER_TAIL_EVENTS);
  const last = rows.at(-1);
  if (rows.length !== meta.count - sequence || last?.[HEAD_COLUMN] !== meta.head) {
    throw new IntegrityError("Cannot use ledger: its newest events do not lead to its head", {
      details: { sequence: meta.count },
    });
  }
  if (rows.every((row, index) => isSame(row, copies[index]))) return;
  verifyChain(rows.map(toRecordedEvent), { sequence, head: ledger.headAt(sequence, meta) ?? "" });
}

const HEAD_COLUMN = 9;

function isSame(row: Row, copy: Row | undefined): boolean {
  return row.every((value, column) => {
    const other = copy?.[column];
    return value === other ||
      (value instanceof Uint8Array && other instanceof Uint8Array && equalBytes(value, other));
  });
}

/** The error for a ledger without its store; a new, empty store next to it would bring nothing back. */
export function mainIsMissing(): StorageError {
  return new StorageError(
    "RESTORE",
    "Cannot open store: its file is missing but its ledger exists; restore a backup",
    { details: because("main-missing") },
  );
}

/** Requires that the ledger names this main as the live one. */
function assertLive(
  main: Pick<MainMeta, "epoch" | "pendingFrom">,
  meta: Pick<LedgerMeta, "epoch">,
): void {
  if (main.pendingFrom !== null) throw restoreUnfinished();
  if (main.epoch !== meta.epoch) {
    throw new StorageError("REPLACED", "Cannot use store: a restore replaced it; open the restored store", {
      details: { by: "restore" },
    });
  }
}

/** The error for a main that a restore has not made live yet. */
export function restoreUnfinished(): StorageError {
  return new StorageError("RESTORE", "Cannot use store: its restore is unfinished; run it again", {
    details: because("restoring"),
  });
}
