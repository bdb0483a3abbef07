/** The protocol, 4.1 to 4.4: a restore up to the point where its destination has its name. */
import { addMain, changeMain, dropUnreachable, goTo, releaseAll, replaced } from "./changes.ts";
import { finish, rejectIntegrity, rejectUnchanged } from "./endings.ts";
import { applyEvents } from "./events.ts";
import { type Here, type Moves, probeLedger, type Step, step } from "./moves.ts";
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
import { firstLock } from "./switch_steps.ts";

export const RESTORE_STEPS = {
  "4.1 look at the destination": lookAtDestination,
  "4.1 remove the destination": removeDestination,
  "4.2 copy the backup": copyBackup,
  "4.3 prepare the copy": prepareCopy,
  "4.4 link": linkDestination,
  "4.4 unlink the copy's name": unlinkCopy,
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
  const next = rules.linkBeforeFence ? "4.4 link" : firstLock(rules);
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
  const next = rules.linkBeforeFence ? firstLock(rules) : "4.7 complete the destination";
  return [step(here, "4.4 unlink the copy's name", goTo(unlinked, self, next))];
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
