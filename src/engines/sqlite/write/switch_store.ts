/** Steps 4.5 to 4.7 of the protocol: the destination of a restore becomes the live store. */

import { StorageError } from "../../../errors.ts";
import { CHAIN_EVENTS_PER_BATCH } from "../../../limits.ts";
import { assertNamed } from "../files/private_file.ts";
import { applyEvents, type ApplyParts } from "./catch_up.ts";
import { outcomeUnknown } from "../../../engine/group_errors.ts";
import type { Ledger, LedgerMeta } from "../database/ledger.ts";
import { type MainMeta, readMainMeta, updateMainMeta } from "../database/main_meta.ts";
import type { OpenedStore } from "../database/opened_store.ts";

/** The error of a step that has to be retried. */
function moved(): StorageError {
  return new StorageError("BUSY", "Cannot restore: the ledger is being written");
}

function superseded(): StorageError {
  return new StorageError("REPLACED", "Cannot restore: another restore finished first", {
    details: { by: "restore" },
  });
}

/**
 * Attempts the switch: one commit fences off the old store and makes the destination live.
 *
 * Throws `BUSY`, with nothing changed, if a lock is held.
 */
export function switchStore(store: OpenedStore, parts: Omit<ApplyParts, "main">): void {
  const { main, ledger, journalMode } = store;
  const mode = journalMode === "delete" ? "exclusive" : "immediate";
  try {
    main.begin(mode);
    assertNamed(store.mainFile!);
    const meta = readMainMeta(main);
    const announced = -meta.generation;
    if (journalMode === "wal" && meta.pendingFrom !== null) announceSwitch(ledger, announced);
    ledger.connection.begin(mode);
    const before = ledger.readMeta();
    if (before.epoch === meta.epoch) {
      ledger.connection.rollback();
    } else {
      if (before.generation !== meta.pendingFrom) throw superseded();
      if (journalMode === "wal" && before.announced !== announced) throw moved();
      applyAll({ main, ...parts }, meta, ledger);
      ledger.updateMeta({ ...before, generation: meta.generation, epoch: meta.epoch, announced: null });
      commitSwitch(ledger, before, meta);
    }
    completeSwitch(store, meta);
  } catch (error) {
    throw main.abandon(ledger.connection.abandon(error));
  }
}

/**
 * Announces the switch, in commits of its own. An equal announcement is withdrawn first, because a commit that
 * changes nothing would overwrite nothing.
 */
function announceSwitch(ledger: Ledger, announced: number): void {
  const found = ledger.readMeta();
  if (found.announced === announced && !ledger.announce(found, null)) throw moved();
  if (!ledger.announce(ledger.readMeta(), announced)) throw moved();
}

/** Commits the ledger; returns once the destination is live. */
function commitSwitch(ledger: Ledger, before: LedgerMeta, meta: MainMeta): void {
  const { connection } = ledger;
  try {
    connection.commit();
  } catch (error) {
    if (connection.isTransaction) throw error;
    const verdict = probeSwitch(ledger, before, meta);
    if (verdict === "live") return;
    throw verdict === "gone" ? error : outcomeUnknown(error);
  } finally {
    ledger.forgetMeta();
  }
}

/** Finds out whether a failed COMMIT took effect, and ensures that it cannot do so later, as step 2.5. */
function probeSwitch(ledger: Ledger, before: LedgerMeta, meta: MainMeta): "live" | "gone" | "unknown" {
  const { connection } = ledger;
  try {
    connection.begin("immediate");
    const found = ledger.readMeta();
    if (found.epoch === before.epoch && found.generation === before.generation) {
      ledger.updateMeta({ ...found, probe: found.probe + 1, announced: null });
      connection.commit();
      return "gone";
    }
    connection.rollback();
    return found.epoch === meta.epoch ? "live" : "unknown";
  } catch (error) {
    connection.abandon(error);
    return "unknown";
  }
}

/**
 * Runs step 4.7. An error is ignored: the opening that follows repeats the step, and reports the error if it recurs.
 */
function completeSwitch(store: OpenedStore, meta: MainMeta): void {
  try {
    becomeLive(store, meta);
  } catch (error) {
    store.main.abandon(error);
  }
}

/** Ends the pending state; must run within main's write transaction, which it commits. */
function becomeLive({ main }: Pick<OpenedStore, "main">, meta: MainMeta): void {
  meta.pendingFrom = null;
  updateMainMeta(main, meta);
  main.commit();
}

function applyAll(parts: ApplyParts, meta: MainMeta, ledger: Ledger): void {
  for (;;) {
    const events = ledger.eventsAfter(meta.applied, CHAIN_EVENTS_PER_BATCH);
    if (events.length === 0) return;
    applyEvents(parts, meta, events);
  }
}

/** Runs step 4.7 at an opening, for a destination that the ledger has made live; otherwise does nothing. */
export function finishSwitch(store: OpenedStore, parts: Omit<ApplyParts, "main">): void {
  const { main, ledger } = store;
  const isSwitched = (meta: MainMeta): boolean =>
    meta.pendingFrom !== null && ledger.readMeta().epoch === meta.epoch;
  if (!isSwitched(readMainMeta(main))) return;
  try {
    main.begin("immediate");
    const meta = readMainMeta(main);
    if (isSwitched(meta)) {
      applyAll({ main, ...parts }, meta, ledger);
      becomeLive(store, meta);
    } else {
      main.rollback();
    }
  } catch (error) {
    throw main.abandon(error);
  }
}
