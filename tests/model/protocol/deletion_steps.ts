/** The protocol, section 2: the part of a write group that records events. */
import { beginAgain, changeHistory, changeLedger, goTo, note } from "./changes.ts";
import { committed, finish, rejectUnchanged } from "./endings.ts";
import { applyEvent, expectedAfter } from "./events.ts";
import { commitLedger, commitMain, type Here, type Moves, probeLedger, type Step, step } from "./moves.ts";
import { brokenByRecording } from "./promises.ts";
import { type Event, mainOf, type MainVersion, NOBODY, NONE, type State, type StepName } from "./state.ts";

export const DELETION_STEPS = {
  "2.0 announce the commit": announce,
  "2.1 begin the ledger": beginLedger,
  "2.4 commit the ledger": commitEvents,
  "2.5 probe the ledger": probeAfterEvents,
  "2.6 commit main": commitErasure,
} satisfies Partial<Record<StepName, Step>>;

/** Added before 2.1: a short transaction of its own. Whatever lingers in the ledger is overwritten by it. */
function announce(here: Here): Moves {
  const { state, self } = here;
  if (state.ledger.lockedBy !== NOBODY) return busy(here);
  return probeLedger(here, {
    label: "2.0 announce the commit",
    committed: (announced) => goTo(announced, self, "2.1 begin the ledger"),
    failed: (failed) => rejectUnchanged(here, failed),
  }, announcementOf(here));
}

function busy(here: Here): Moves {
  if (!here.rules.nobodyWaitsHolding) return [];
  const again = beginAgain(here.state, here.self, "1.2 begin main");
  return [step(here, "2.1 the ledger is BUSY: roll back", again)];
}

/** What is announced: the sequence of the event. */
function announcementOf(here: Here): number {
  return planOf(here).work.applied + 1;
}

/** 2.1: BUSY rolls main back and begins again. Steps 2.2 and 2.3 follow in the same move: the ledger is locked. */
function beginLedger(here: Here): Moves {
  const { state, self } = here;
  if (state.ledger.lockedBy !== NOBODY) return busy(here);
  if (ledgerMoved(here)) {
    return [step(here, "2.2 the ledger moved: roll back both", beginAgain(state, self, "1.2 begin main"))];
  }
  const locked = changeLedger(state, { lockedBy: self });
  return [step(here, "2.1 BEGIN the ledger, 2.2, 2.3", goTo(locked, self, "2.4 commit the ledger"))];
}

/** 2.2: the ledger's meta row, read again inside its own transaction. */
function ledgerMoved(here: Here): boolean {
  const { state, rules, process } = here;
  const { epoch, events, announced } = state.ledger.now;
  if (rules.epochReadAgain && epoch !== mainOf(state, process.file).now.epoch) return true;
  if (!rules.ledgerCommitsFirst) return false;
  if (rules.countReadAgain && events.length !== planOf(here).work.applied) return true;
  return rules.commitsAreAnnounced && announced !== announcementOf(here);
}

/** 2.4: from here on the deletion is recorded. */
function commitEvents(here: Here): Moves {
  const { event, work } = planOf(here);
  const { now } = here.state.ledger;
  return commitLedger(here, { ...now, announced: NONE, events: [...now.events, event] }, {
    label: "2.4 COMMIT the ledger",
    by: here.number,
    done: (state) =>
      goOn(
        here,
        changeHistory(note(state, brokenByRecording(now, event, work.epoch)), {
          expected: expectedAfter(state.history.expected, event),
        }),
      ),
    refused: (state) => rejectUnchanged(here, state),
    ended: (state) =>
      here.rules.probeAfterLedgerCommit
        ? goTo(state, here.self, "2.5 probe the ledger")
        : rejectUnchanged(here, state),
  });
}

function goOn(here: Here, state: State): State {
  return here.rules.ledgerCommitsFirst ? goTo(state, here.self, "2.6 commit main") : committed(here, state);
}

/** 2.5: main stays locked; whoever holds the ledger waits for nobody, so this wait ends. */
function probeAfterEvents(here: Here): Moves {
  const { ledger } = here.state;
  if (ledger.lockedBy !== NOBODY) return [];
  const recorded = ledger.now.events.some((event) => event.id === here.number);
  return probeLedger(here, {
    label: "2.5 probe the ledger",
    committed: (state) =>
      recorded && here.rules.probeReadsBack ? goOn(here, state) : rejectUnchanged(here, state),
    failed: (state) => finish(here, state),
  });
}

/** 2.6: acknowledged; or, after an error, told to be recorded and left to whoever comes next. */
function commitErasure(here: Here): Moves {
  const { work, event } = planOf(here);
  const erased = { ...applyEvent(work, event, here.rules), lastGroup: here.number };
  return commitMain(here, here.process.file, erased, {
    label: "2.6 COMMIT main",
    by: NONE,
    done: (state) =>
      here.rules.ledgerCommitsFirst ? committed(here, state) : goTo(state, here.self, "2.1 begin the ledger"),
    refused: (state) => finish(here, state),
    ended: (state) => finish(here, state),
  });
}

function planOf(here: Here): { readonly work: MainVersion; readonly event: Event } {
  const { work, event } = here.process.notes;
  if (!work || !event) throw new Error("a deletion has an event");
  return { work, event };
}
