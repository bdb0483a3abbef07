/** Whether main and ledger belong together: asked at the start of every write group, after every read, and at open. */

import { because, IntegrityError, StorageError } from "../../errors.ts";
import type { Ledger, LedgerMeta } from "./ledger.ts";
import type { MainMeta } from "./main_meta.ts";

/** What is compared of main. */
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
    throw new IntegrityError("Cannot use store: its ledger has lost deletions that were applied", {
      details: because("older-ledger", { recorded: meta.count, applied: main.applied }),
    });
  }
  if (ledger.headAt(main.applied, meta) !== main.appliedHead) {
    throw new IntegrityError("Cannot use store: its ledger tells another history of deletions", {
      details: because("other-history", { applied: main.applied }),
    });
  }
}

/** A ledger that has served a store stands alone: a new and empty store beside it would bring nothing back. */
export function mainIsMissing(): StorageError {
  return new StorageError(
    "RESTORE",
    "Cannot open store: its file is missing but its ledger is there; restore a backup",
    { details: because("main-missing") },
  );
}

/** Requires that the ledger takes this main for live. */
function assertLive(
  main: Pick<MainMeta, "epoch" | "pendingFrom">,
  meta: Pick<LedgerMeta, "epoch">,
): void {
  if (main.pendingFrom !== null) throw restoreUnfinished();
  if (main.epoch !== meta.epoch) {
    throw new StorageError("REPLACED", "Cannot use store: a restore has put another store in its place", {
      details: { by: "restore" },
    });
  }
}

/** What is not live yet is no store. */
export function restoreUnfinished(): StorageError {
  return new StorageError("RESTORE", "Cannot use store: its restore is unfinished; run it again", {
    details: because("restoring"),
  });
}
