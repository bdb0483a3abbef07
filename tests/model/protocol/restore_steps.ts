/** The protocol, section 4: a restore to a destination. */
import {
  addMain,
  beginAgain,
  changeLedger,
  changeMain,
  changeProcess,
  dropUnreachable,
  goTo,
  releaseAll,
  replaced,
} from "./changes.ts";
import { finish, rejectIntegrity, rejectUnchanged } from "./endings.ts";
import { applyEvents } from "./events.ts";
import { commitLedger, commitMain, type Here, type Moves, probeLedger, type Step, step } from "./moves.ts";
import type { Rules } from "./rules.ts";
import {
  GENERATION_RANGE,
  type MainFile,
  mainOf,
  type MainVersion,
  NO_FILE,
  NOBODY,
  NONE,
  type State,
  type StepName,
} from "./state.ts";
import { switched } from "./surfacing.ts";

export const RESTORE_STEPS = {
  "4.1 look at the destination": lookAtDestination,
  "4.1 remove the destination": removeDestination,
  "4.2 copy the backup": copyBackup,
  "4.3 prepare the copy": prepareCopy,
  "4.4 link": linkDestination,
  "4.4 unlink the copy's name": unlinkCopy,
  "4.5 begin the destination": beginDestination,
  "4.5 announce the commit": announce,
  "4.5 begin the ledger": beginLedger,
  "4.6 commit the ledger": commitSwitch,
  "4.6 probe the ledger": probeAfterSwitch,
  "4.7 complete the destination": completeDestination,
} satisfies Partial<Record<StepName, Step>>;

/** 4.1: nothing there is fine, an unfinished restore is removed, anything else is refused. */
function lookAtDestination(here: Here): Moves {
  const { state, self, rules } = here;
  const { from, to } = planOf(here);
  const file = pathOf(state, to);
  if (!state.backups[from]) return [step(here, "4.1 no backup: refuse", finish(here, state))];
  if (file === NO_FILE) {
    return [step(here, "4.1 the destination is free", goTo(state, self, "4.2 copy the backup"))];
  }
  const destination = mainOf(state, file);
  const spared = destination.now.pendingFrom === null ||
    (rules.removalSparesLive && destination.now.epoch === state.ledger.now.epoch);
  if (spared) return [step(here, "4.1 the destination exists: refuse", finish(here, state))];
  if (!rules.removalHoldsLock) {
    return [step(here, "4.1 remove the destination without its lock", removed(here, state))];
  }
  if (destination.lockedBy !== NOBODY) {
    return [step(here, "4.1 the destination is BUSY: refuse", finish(here, state))];
  }
  const held = goTo(state, self, "4.1 remove the destination", { destination: file });
  return [step(here, "4.1 BEGIN the destination", changeMain(held, file, { lockedBy: self }))];
}

/** Added to 4.1: under its lock, with nothing lingering at the ledger, and only if the ledger does not name it. */
function removeDestination(here: Here): Moves {
  const { state, self, rules } = here;
  const { destination } = here.process.notes;
  const named = state.ledger.now.epoch === mainOf(state, destination).now.epoch;
  if (rules.removalSparesLive && named) {
    return [step(here, "4.1 the ledger names it: refuse", finish(here, state))];
  }
  if (!rules.announcementsAreCleared || state.ledger.now.announced === NONE) {
    return [step(here, "4.1 remove the destination", removed(here, state))];
  }
  if (state.ledger.lockedBy !== NOBODY) {
    const released = goTo(releaseAll(state, self), self, "4.1 look at the destination", {
      destination: NO_FILE,
    });
    return [step(here, "4.1 the ledger is BUSY: roll back", released)];
  }
  return probeLedger(here, {
    label: "4.1 clear the announcement",
    committed: (cleared) => goTo(cleared, self, "4.1 remove the destination"),
    failed: (failed) => rejectUnchanged(here, failed),
  });
}

function removed(here: Here, state: State): State {
  const paths = replaced(state.paths, planOf(here).to, NO_FILE);
  const released = releaseAll({ ...state, paths }, here.self);
  return dropUnreachable(goTo(released, here.self, "4.2 copy the backup", { destination: NO_FILE }));
}

/** 4.2: the copy's name is taken exclusively; its maker keeps it locked, and a lock that is gone means a crash. */
function copyBackup(here: Here): Moves {
  const { state, self, rules } = here;
  const { from, to } = planOf(here);
  const left = state.copies[to] ?? NO_FILE;
  const held = left !== NO_FILE && mainOf(state, left).lockedBy !== NOBODY;
  if (held && rules.copyNameIsMutex) {
    return [step(here, "4.2 another restore runs: refuse", finish(here, state))];
  }
  const backup = backupAt(state, from);
  const copy: MainFile = {
    now: backup,
    lingering: null,
    lockedBy: self,
    restoredFrom: { write: backup.row?.write ?? NONE, applied: backup.applied },
    tooOld: false,
  };
  const { state: copied, file } = addMain(state, copy);
  const named = { ...copied, copies: replaced(copied.copies, to, file) };
  const noted = goTo(named, self, "4.3 prepare the copy", { destination: file });
  return [step(here, "4.2 copy the backup", dropUnreachable(noted))];
}

/** 4.3: one transaction on the copy. */
function prepareCopy(here: Here): Moves {
  const { state, self, rules } = here;
  const { destination } = here.process.notes;
  const copy = mainOf(state, destination).now;
  const ledger = state.ledger.now;
  if (ledger.events.length < copy.applied) return [step(here, "4.3 INTEGRITY", rejectIntegrity(here, state))];
  const generation = ledger.generation + 1;
  const caughtUp = rules.newerEventsApplied ? applyEvents(copy, ledger.events, rules) : copy;
  const recordCounter = rules.revisionRanges
    ? generation * GENERATION_RANGE + copy.recordCounter % GENERATION_RANGE
    : copy.recordCounter + GENERATION_RANGE;
  const now: MainVersion = {
    ...caughtUp,
    generation,
    recordCounter,
    pendingFrom: ledger.generation,
    epoch: rules.freshEpoch ? here.number : copy.epoch,
  };
  const next = rules.linkBeforeFence ? "4.4 link" : firstOf(lockOrder(rules));
  return [step(here, "4.3 prepare the copy", goTo(changeMain(state, destination, { now }), self, next))];
}

/** 4.4: the destination gets its name, unless somebody was faster. Whatever bears the copy's name is linked. */
function linkDestination(here: Here): Moves {
  const { state, self } = here;
  const { to } = planOf(here);
  const copy = state.copies[to] ?? NO_FILE;
  if (pathOf(state, to) !== NO_FILE || copy === NO_FILE) {
    const dropped = { ...state, copies: replaced(state.copies, to, NO_FILE) };
    return [step(here, "4.4 the destination exists by now: refuse", finish(here, dropped))];
  }
  const linked = { ...state, paths: replaced(state.paths, to, copy) };
  return [step(here, "4.4 link", goTo(linked, self, "4.4 unlink the copy's name"))];
}

/** 4.4: the copy's name goes, and with it the mutex. */
function unlinkCopy(here: Here): Moves {
  const { state, self, rules } = here;
  const copies = replaced(state.copies, planOf(here).to, NO_FILE);
  const unlinked = releaseAll({ ...state, copies }, self);
  const next = rules.linkBeforeFence ? firstOf(lockOrder(rules)) : "4.7 complete the destination";
  return [step(here, "4.4 unlink the copy's name", goTo(unlinked, self, next))];
}

/**
 * 4.5 locks the destination, then the ledger, which is told before (added). Out of order it is the ledger, and then the
 * store in service, so as to wait for its writers; where the fence comes before the name, there is no destination to lock.
 */
function lockOrder(rules: Rules): readonly StepName[] {
  const announced: readonly StepName[] = rules.commitsAreAnnounced ? ["4.5 announce the commit"] : [];
  if (!rules.linkBeforeFence) return [...announced, "4.5 begin the ledger"];
  if (!rules.mainBeforeLedger) return [...announced, "4.5 begin the ledger", "4.5 begin the destination"];
  return ["4.5 begin the destination", ...announced, "4.5 begin the ledger"];
}

function firstOf(order: readonly StepName[]): StepName {
  return order[0] ?? "4.6 commit the ledger";
}

/** One of them is done: on to the next; after the last, the generation is checked in the same move. */
function taken(here: Here, label: string, done: StepName, state: State): Moves {
  const next = nextOf(here.rules, done);
  return next ? [step(here, label, goTo(state, here.self, next))] : checkGeneration(here, label, state);
}

function nextOf(rules: Rules, done: StepName): StepName | undefined {
  const order = lockOrder(rules);
  return order[order.indexOf(done) + 1];
}

/** One of them cannot be done yet: who holds nothing waits, who holds something gives it back first. */
function busy(here: Here): Moves {
  const { state, self, rules } = here;
  const holds = state.ledger.lockedBy === self || state.mains.some((main) => main?.lockedBy === self);
  if (!holds || !rules.nobodyWaitsHolding) return [];
  return [step(here, "4.5 BUSY: roll back", lockAgain(here))];
}

function lockAgain(here: Here): State {
  return goTo(releaseAll(here.state, here.self), here.self, firstOf(lockOrder(here.rules)));
}

/** Added to 4.5, as before 2.1. */
function announce(here: Here): Moves {
  if (here.state.ledger.lockedBy !== NOBODY) return busy(here);
  return probeLedger(here, {
    label: "4.5 announce the commit",
    committed: (announced) =>
      goTo(announced, here.self, nextOf(here.rules, "4.5 announce the commit") ?? "4.6 commit the ledger"),
    failed: (failed) => rejectUnchanged(here, failed),
  }, here.number);
}

function beginDestination(here: Here): Moves {
  const { state, self, rules, process } = here;
  const { destination } = process.notes;
  const file = rules.mainBeforeLedger ? destination : process.file;
  if (mainOf(state, file).lockedBy !== NOBODY) return busy(here);
  if (rules.nameCheckedUnderLock && pathOf(state, planOf(here).to) !== destination) {
    return [step(here, "4.5 the name leads elsewhere: REPLACED", finish(here, state))];
  }
  const locked = changeMain(state, file, { lockedBy: self });
  return taken(here, "4.5 BEGIN the destination", "4.5 begin the destination", locked);
}

function beginLedger(here: Here): Moves {
  const { state, self } = here;
  if (state.ledger.lockedBy !== NOBODY) return busy(here);
  const locked = changeLedger(state, { lockedBy: self });
  return taken(here, "4.5 BEGIN the ledger", "4.5 begin the ledger", locked);
}

/** 4.5: switched already, superseded, or on. Everything is locked. */
function checkGeneration(here: Here, label: string, state: State): Moves {
  const { self, rules } = here;
  const { now } = mainOf(state, here.process.notes.destination);
  const ledger = state.ledger.now;
  if (ledger.epoch === now.epoch) {
    const released = changeLedger(state, { lockedBy: NOBODY });
    return [step(here, "4.5 switched already", goTo(released, self, "4.7 complete the destination"))];
  }
  if (rules.generationChecked && ledger.generation !== now.pendingFrom) {
    return [step(here, "4.5 superseded: REPLACED", finish(here, state))];
  }
  if (rules.commitsAreAnnounced && ledger.announced !== here.number) {
    return [step(here, "4.5 the announcement is gone: roll back", lockAgain(here))];
  }
  return [step(here, label, goTo(state, self, "4.6 commit the ledger"))];
}

/** 4.6: the switch. */
function commitSwitch(here: Here): Moves {
  const { state, self, rules } = here;
  const ledger = state.ledger.now;
  const { epoch } = mainOf(state, here.process.notes.destination).now;
  return commitLedger(here, { ...ledger, announced: NONE, generation: ledger.generation + 1, epoch }, {
    label: "4.6 COMMIT the ledger",
    by: here.number,
    done: (done) =>
      goTo(switched(done), self, rules.linkBeforeFence ? "4.7 complete the destination" : "4.4 link"),
    refused: (failed) => rejectUnchanged(here, failed),
    ended: (failed) =>
      rules.probeAfterLedgerCommit
        ? goTo(failed, self, "4.6 probe the ledger")
        : rejectUnchanged(here, failed),
  });
}

/** 4.6 after an error that ended the transaction: as 2.5, with the destination locked. */
function probeAfterSwitch(here: Here): Moves {
  const { state, self, rules } = here;
  if (state.ledger.lockedBy !== NOBODY) return [];
  const ledger = state.ledger.now;
  const { epoch, pendingFrom } = mainOf(state, here.process.notes.destination).now;
  return probeLedger(here, {
    label: "4.6 probe the ledger",
    committed: (probed) => {
      if (!rules.probeReadsBack || ledger.generation === pendingFrom) return rejectUnchanged(here, probed);
      return ledger.epoch === epoch
        ? goTo(probed, self, "4.7 complete the destination")
        : finish(here, probed);
    },
    failed: (failed) => finish(here, failed),
  });
}

/** 4.7: by the restore itself, or by the first who opens, writes or reads an unfinished one. */
function completeDestination(here: Here): Moves {
  const { state, self, process, rules, operation } = here;
  const restoring = operation.kind === "restore";
  const file = restoring ? process.notes.destination : process.file;
  const { now, lockedBy } = mainOf(state, file);
  if (lockedBy !== self && lockedBy !== NOBODY) return [];
  const caughtUp = rules.newerEventsApplied ? applyEvents(now, state.ledger.now.events, rules) : now;
  return commitMain(here, file, { ...caughtUp, pendingFrom: null }, {
    label: "4.7 COMMIT the destination",
    by: NONE,
    done: (done) => {
      if (restoring) return finish(here, changeProcess(done, self, { file, path: operation.to }));
      return beginAgain(
        done,
        self,
        operation.kind === "read" ? "3.1 take main's snapshot" : "1.2 begin main",
      );
    },
    refused: (failed) => finish(here, failed),
    ended: (failed) => finish(here, failed),
  });
}

function planOf(here: Here): { readonly from: number; readonly to: number } {
  if (here.operation.kind !== "restore") throw new Error("not a restore");
  return here.operation;
}

function pathOf(state: State, path: number): number {
  return state.paths[path] ?? NO_FILE;
}

function backupAt(state: State, from: number): MainVersion {
  const backup = state.backups[from];
  if (!backup) throw new Error(`no backup ${from}`);
  return backup;
}
