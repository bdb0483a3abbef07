/** The protocol, section 3: a read of the scope. */
import { beginAgain, changeMain, goTo, note } from "./changes.ts";
import { finish, rejectIntegrity, rejectReplaced } from "./endings.ts";
import { type Here, type Moves, type Step, step } from "./moves.ts";
import { beginning, brokenByAnswer, isUsable } from "./promises.ts";
import {
  type Began,
  type LedgerVersion,
  mainOf,
  type MainVersion,
  namedFiles,
  NOBODY,
  type State,
  type StepName,
} from "./state.ts";

export const READ_STEPS = {
  "3.1 take main's snapshot": takeSnapshot,
  "3.2 look at the ledger": lookAtLedger,
  "3.3 begin main": beginCompletion,
} satisfies Partial<Record<StepName, Step>>;

/** 3.1: the rows, applied and epoch, all from one transaction. */
function takeSnapshot(here: Here): Moves {
  const { state, self, process } = here;
  const notes = { snapshot: mainOf(state, process.file).now, began: process.notes.began ?? begin(here) };
  return [step(here, "3.1 take main's snapshot", goTo(state, self, "3.2 look at the ledger", notes))];
}

function begin(here: Here): Began {
  return beginning(here.state, here.process.file, here.rules);
}

/** 3.2: the ledger's meta, and what it means for the snapshot. */
function lookAtLedger(here: Here): Moves {
  const { state, self, process, rules } = here;
  const { snapshot, earlyLedger } = process.notes;
  if (!snapshot) {
    const notes = { earlyLedger: state.ledger.now, began: begin(here) };
    return [
      step(here, "3.2 look at the ledger, too early", goTo(state, self, "3.1 take main's snapshot", notes)),
    ];
  }
  const ledger = earlyLedger ?? state.ledger.now;
  if (isReplaced(here, snapshot, ledger)) {
    return [step(here, "3.2 files or epoch differ: REPLACED", rejectReplaced(here, state))];
  }
  if (ledger.events.length < snapshot.applied) {
    return [step(here, "3.2 INTEGRITY", rejectIntegrity(here, state))];
  }
  const unfinished = snapshot.pendingFrom !== null && ledger.epoch === snapshot.epoch;
  if (rules.pendingReadNeverServes && (ledger.events.length > snapshot.applied || unfinished)) {
    return [step(here, "3.2 an event is pending", goTo(state, self, "3.3 begin main"))];
  }
  return [step(here, "3.2 look at the ledger, answer", answer(here, snapshot))];
}

function isReplaced(here: Here, snapshot: MainVersion, ledger: LedgerVersion): boolean {
  const { rules, state, process } = here;
  if (rules.filesCheckedByReaders && !namedFiles(state).includes(process.file)) return true;
  return rules.epochCheckedByReaders && !isUsable(snapshot, ledger, rules);
}

function answer(here: Here, snapshot: MainVersion): State {
  const { state, process } = here;
  const broken = brokenByAnswer(
    mainOf(state, process.file),
    process.notes.began ?? begin(here),
    snapshot.row,
  );
  return finish(here, note(state, broken));
}

/** 3.3: have it completed, then read again; BUSY: read again. */
function beginCompletion(here: Here): Moves {
  const { state, self, process } = here;
  const again = here.rules.mainBeforeLedgerOnReads ? "3.1 take main's snapshot" : "3.2 look at the ledger";
  if (mainOf(state, process.file).lockedBy !== NOBODY) {
    return [step(here, "3.3 main is BUSY: read again", beginAgain(state, self, again))];
  }
  const locked = changeMain(beginAgain(state, self, again), process.file, { lockedBy: self });
  return [step(here, "3.3 BEGIN main", goTo(locked, self, "1.3 check the ledger"))];
}
