/** The protocol, 4.5 to 4.7: the destination of a restore becomes the live store. */
import { beginAgain, changeLedger, changeMain, changeProcess, goTo, releaseAll } from "./changes.ts";
import { finish, rejectUnchanged } from "./endings.ts";
import { applyEvents } from "./events.ts";
import { commitLedger, commitMain, type Here, type Moves, probeLedger, type Step, step } from "./moves.ts";
import type { Rules } from "./rules.ts";
import { mainOf, namedFiles, NOBODY, NONE, type State, type StepName } from "./state.ts";
import { switched } from "./surfacing.ts";

export const SWITCH_STEPS = {
  "4.5 begin the destination": beginDestination,
  "4.5 announce the commit": announce,
  "4.5 begin the ledger": beginLedger,
  "4.6 commit the ledger": commitSwitch,
  "4.6 probe the ledger": probeAfterSwitch,
  "4.7 complete the destination": completeDestination,
} satisfies Partial<Record<StepName, Step>>;

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

/** Where 4.5 begins. */
export function firstLock(rules: Rules): StepName {
  return lockOrder(rules)[0] ?? "4.6 commit the ledger";
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
  return goTo(releaseAll(here.state, here.self), here.self, firstLock(here.rules));
}

/** Added to 4.5, as before 2.1. */
function announce(here: Here): Moves {
  if (here.state.ledger.lockedBy !== NOBODY) return busy(here);
  return probeLedger(here, {
    label: "4.5 announce the commit",
    committed: (announced) =>
      goTo(announced, here.self, nextOf(here.rules, "4.5 announce the commit") ?? "4.6 commit the ledger"),
    failed: (failed) => rejectUnchanged(here, failed),
  }, announcementOf(here));
}

/** What is announced: the generation, negative, so that it is no sequence. Two restores may announce the same. */
function announcementOf(here: Here): number {
  return -mainOf(here.state, here.process.notes.destination).now.generation;
}

function beginDestination(here: Here): Moves {
  const { state, self, rules, process } = here;
  const { destination } = process.notes;
  const file = rules.mainBeforeLedger ? destination : process.file;
  if (mainOf(state, file).lockedBy !== NOBODY) return busy(here);
  if (rules.nameCheckedUnderLock && !namedFiles(state).includes(destination)) {
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
  if (rules.commitsAreAnnounced && ledger.announced !== announcementOf(here)) {
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
