/** The protocol, section 1: a write group of one member. */
import { beginAgain, changeHistory, changeMain, goTo, note } from "./changes.ts";
import {
  acknowledge,
  committed,
  finish,
  rejectIntegrity,
  rejectReplaced,
  rejectUnchanged,
} from "./endings.ts";
import { applyEvents, contentsOf, expectedAfter, ownedContents } from "./events.ts";
import { commitMain, type Here, type Moves, probeLedger, probeMain, type Step, step } from "./moves.ts";
import { beginning, brokenByCreation, coveredBy, isUsable, liveFiles } from "./promises.ts";
import {
  type Event,
  mainOf,
  type MainVersion,
  namedFiles,
  NOBODY,
  NONE,
  type Owner,
  type Row,
  type State,
  type StepName,
} from "./state.ts";

export const WRITE_STEPS = {
  "1.1 look for the tombstone": lookForTombstone,
  "1.2 begin main": beginMain,
  "1.3 check the ledger": checkLedger,
  "1.3 clear the announcement": clearAnnouncement,
  "1.4 roll forward": rollForward,
  "1.6 commit main": commitGroup,
  "1.6 probe main": probeAfterCommit,
  "1.7 acknowledge": checkFiles,
} satisfies Partial<Record<StepName, Step>>;

/** Only where the rule is left out: the tombstone is looked up before the transaction. */
function lookForTombstone(here: Here): Moves {
  const earlyMain = mainOf(here.state, here.process.file).now;
  const looked = goTo(here.state, here.self, "1.2 begin main", { earlyMain });
  return [step(here, "1.1 look for the tombstone, too early", looked)];
}

/** 1.2. */
function beginMain(here: Here): Moves {
  const { state, self, process, rules } = here;
  const main = mainOf(state, process.file);
  if (main.lockedBy !== NOBODY) return [];
  const locked = changeMain(state, process.file, { lockedBy: self });
  const notes = { lastGroupBefore: main.now.lastGroup, began: beginning(state, process.file, rules) };
  return [step(here, "1.2 BEGIN main", goTo(locked, self, "1.3 check the ledger", notes))];
}

/** 1.3; and 1.5 in the same move, since the members run where nobody else can see it. */
function checkLedger(here: Here): Moves {
  const { state, self, process, rules } = here;
  const main = mainOf(state, process.file);
  const ledger = state.ledger.now;
  if (rules.epochCheckedByWriters && !isUsable(main.now, ledger, rules)) {
    return [step(here, "1.3 the epoch differs: REPLACED", rejectReplaced(here, state))];
  }
  if (ledger.events.length < main.now.applied || !headAgrees(main.now, ledger.events)) {
    return [step(here, "1.3 the ledger lacks what main applied: INTEGRITY", rejectIntegrity(here, state))];
  }
  if (main.now.pendingFrom !== null && main.now.epoch === ledger.epoch) {
    return [step(here, "1.3 an unfinished restore", goTo(state, self, "4.7 complete the destination"))];
  }
  if (here.operation.kind === "read") return readOn(here, main.now, ledger.events);
  return checkPending(here, main.now, ledger.events);
}

function headAgrees(main: MainVersion, events: readonly Event[]): boolean {
  return main.applied === 0 || events[main.applied - 1]?.id === main.appliedHead;
}

/** A read that came here to have something completed: others may have done it meanwhile. */
function readOn(here: Here, main: MainVersion, events: readonly Event[]): Moves {
  if (events.length > main.applied) return pend(here, main, events);
  return [
    step(here, "1.3 nothing is pending", beginAgain(here.state, here.self, "3.1 take main's snapshot")),
  ];
}

/** 1.4 begins: the pending events are read with the meta row that counts them, in one transaction (added). */
function pend(here: Here, main: MainVersion, events: readonly Event[]): Moves {
  if (events.length - main.applied > 1 && here.rules.olderMainRefused) {
    return [step(here, "1.4 more than one batch is pending: INTEGRITY", rejectIntegrity(here, here.state))];
  }
  const work = applyEvents(main, events, here.rules);
  return [step(here, "1.3 an event is pending", goTo(here.state, here.self, "1.4 roll forward", { work }))];
}

/** 1.3, its end: what is pending comes first; then an announcement, unless this group is going to overwrite it anyway. */
function checkPending(here: Here, main: MainVersion, events: readonly Event[]): Moves {
  const { state, self, rules, operation } = here;
  const pending = events.length > main.applied && rules.rollForwardBeforeWriting;
  if (pending && rules.rollForwardCommitsAlone) return pend(here, main, events);
  if (pending) {
    const joined = runMember(here, applyEvents(main, events, rules));
    return [step(here, "1.3 an event is pending, apply it and run the member, 1.5", joined)];
  }
  if (rules.announcementsAreCleared && operation.kind === "put" && state.ledger.now.announced !== NONE) {
    return [step(here, "1.3 a commit was announced", goTo(state, self, "1.3 clear the announcement"))];
  }
  return [step(here, "1.3 check the ledger, 1.5 run the member", runMember(here, main))];
}

/** Added to 1.3: main is locked, so whoever announced is dead or restores elsewhere; what lingers is overwritten. */
function clearAnnouncement(here: Here): Moves {
  const { state, self } = here;
  if (state.ledger.lockedBy !== NOBODY) {
    return [step(here, "1.3 the ledger is BUSY: roll back", beginAgain(state, self, "1.2 begin main"))];
  }
  return probeLedger(here, {
    label: "1.3 clear the announcement",
    committed: (cleared) => goTo(cleared, self, "1.3 check the ledger"),
    failed: (failed) => rejectUnchanged(here, failed),
  });
}

/** 1.4: commit what was applied, and nothing else; begin again. */
function rollForward(here: Here): Moves {
  const { state, self, process, rules } = here;
  const main = mainOf(state, process.file).now;
  const { events } = state.ledger.now;
  if (!rules.pendingReadAtOnce && rules.olderMainRefused && events.length - main.applied > 1) {
    return [step(here, "1.4 more than one batch is pending: INTEGRITY", rejectIntegrity(here, state))];
  }
  const { work } = process.notes;
  const next = here.operation.kind === "read" ? "3.1 take main's snapshot" : "1.2 begin main";
  return commitMain(here, process.file, work ?? main, {
    label: "1.4 roll forward, COMMIT main",
    by: NONE,
    done: (done) => beginAgain(done, self, next),
    refused: (failed) => rejectUnchanged(here, failed),
    ended: (failed) => rejectUnchanged(here, failed),
  });
}

/** 1.5: the member, run inside main's transaction. */
function runMember(here: Here, main: MainVersion): State {
  switch (here.operation.kind) {
    case "put":
      return runPut(here, main);
    case "delete":
      return main.reserved ? alreadyDeleted(here) : record(here, main, erasureOf(here, main, true));
    case "label":
      return main.row ? runLabel(here, main, main.row, here.operation.owner) : finish(here, here.state);
    case "erase":
      return record(here, main, erasureOfOwned(here, main));
    default:
      return main.row ? record(here, main, erasureOf(here, main, false)) : finish(here, here.state);
  }
}

function runPut(here: Here, main: MainVersion): State {
  const tombstone = here.process.notes.earlyMain ?? main;
  if (tombstone.reserved) return finish(here, here.state);
  const floor = here.rules.recreationAboveFloor ? tombstone.floor : 0;
  const recordCounter = main.recordCounter + 1;
  const row: Row = {
    write: here.number,
    turnRevision: (main.row?.turnRevision ?? floor) + 1,
    recordRevision: recordCounter,
    owner: main.row?.owner ?? 0,
  };
  const work = { ...main, row, recordCounter, lastGroup: here.number };
  return goTo(here.state, here.self, "1.6 commit main", { work });
}

/** A repeated delete gets the receipt of the event that reserved the identifier. */
function alreadyDeleted(here: Here): State {
  const burning = here.state.ledger.now.events.filter((event) => event.burns);
  const erased = here.state.history.erased | coveredBy(burning);
  return finish(here, changeHistory(here.state, { erased }));
}

function erasureOf(here: Here, main: MainVersion, burns: boolean): Event {
  return {
    ...{ effect: "erases", owner: 0, burns },
    id: here.number,
    previous: main.appliedHead,
    floor: main.row?.turnRevision ?? main.floor,
    covers: contentsOf(here.state),
  };
}

function erasureOfOwned(here: Here, main: MainVersion): Event {
  const isTheirs = main.row?.owner === 1;
  return {
    ...{ effect: "erases what is owned", owner: 1, burns: false },
    id: here.number,
    previous: main.appliedHead,
    floor: isTheirs ? main.row.turnRevision : 0,
    covers: ownedContents(here.state),
  };
}

/** Where labels are no events, only main knows whose the row is. */
function runLabel(here: Here, main: MainVersion, row: Row, owner: Owner): State {
  const rest = { id: here.number, previous: main.appliedHead, burns: false, floor: 0, covers: 0 };
  if (here.rules.labelsAreEvents) return record(here, main, { effect: "labels", owner, ...rest });
  const recordCounter = main.recordCounter + 1;
  const labelled = { ...row, owner, recordRevision: recordCounter };
  const work = { ...main, row: labelled, recordCounter, lastGroup: here.number };
  return goTo(here.state, here.self, "1.6 commit main", { work });
}

function record(here: Here, main: MainVersion, event: Event): State {
  const { rules } = here;
  const first = rules.commitsAreAnnounced ? "2.0 announce the commit" : "2.1 begin the ledger";
  return goTo(here.state, here.self, rules.ledgerCommitsFirst ? first : "2.6 commit main", {
    work: main,
    event,
  });
}

/** 1.6 of a group without events. */
function commitGroup(here: Here): Moves {
  const { self, process, rules } = here;
  const { work } = process.notes;
  if (!work) throw new Error("a put has main's new version");
  return commitMain(here, process.file, work, {
    label: "1.6 COMMIT main",
    by: here.number,
    done: (state) => committed(here, created(here, state, work)),
    refused: (state) => rejectUnchanged(here, state),
    ended: (state) =>
      rules.probeAfterMainCommit ? goTo(state, self, "1.6 probe main") : rejectUnchanged(here, state),
  });
}

/**
 * The observer's: a row became visible; where it is the live store, it is what that store holds. An event recorded since
 * this operation began, by way of another main, counts as the later of the two: this one could not know of it.
 */
function created(here: Here, state: State, work: MainVersion): State {
  const { events } = state.ledger.now;
  const before = here.process.notes.began?.events ?? 0;
  const since = work.applied === before ? events.slice(before) : [];
  if (!work.row || !liveFiles(state, here.rules).includes(here.process.file)) return state;
  const expected = since.reduce(expectedAfter, work.row.write);
  if (expected === NONE) return state;
  return changeHistory(note(state, brokenByCreation(events, work.row)), { expected });
}

/**
 * 1.6 after an error that ended the transaction. Main's lock is gone with it, so waiting for it holds nothing. Where the
 * outcome stays unknown this model goes on writing without reopening: nothing depends on that any more.
 */
function probeAfterCommit(here: Here): Moves {
  const { process, rules, number } = here;
  const main = mainOf(here.state, process.file);
  if (main.lockedBy !== NOBODY) return [];
  const untouched = main.now.lastGroup === process.notes.lastGroupBefore;
  return probeMain(here, process.file, {
    label: "1.6 probe main",
    committed: (state) => {
      if (!rules.probeReadsBack || untouched) return rejectUnchanged(here, state);
      return main.now.lastGroup === number ? committed(here, state) : finish(here, state);
    },
    failed: (state) => finish(here, state),
  });
}

/** 1.7: the files, then the answer. */
function checkFiles(here: Here): Moves {
  const { state, process, rules } = here;
  if (rules.filesCheckedBeforeAcknowledging && !namedFiles(state).includes(process.file)) {
    return [step(here, "1.7 the files differ: REPLACED", rejectReplaced(here, state))];
  }
  return [step(here, "1.7 acknowledge", acknowledge(here, state))];
}
