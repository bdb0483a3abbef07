/** How an operation ends: what its caller is told, and what the observer concludes from it. */
import {
  changeHistory,
  changeLedger,
  changeMain,
  changeProcess,
  dropUnreachable,
  goTo,
  note,
  releaseAll,
} from "./changes.ts";
import type { Here } from "./moves.ts";
import { firstStep } from "./programs.ts";
import { brokenByAcknowledging, liveFiles } from "./promises.ts";
import { type LingeringCommit, mainOf, NO_FILE, NO_NOTES, NONE, processAt, type State } from "./state.ts";

/** The operation is over: locks go, notes go, the next one of the program is due. */
export function finish(here: Here, state: State): State {
  const turn = here.process.turn + 1;
  const next = firstStep(here.setup.programs[here.self]?.[turn], here.rules);
  const ended = changeProcess(releaseAll(state, here.self), here.self, { turn, step: next, notes: NO_NOTES });
  return ended.mains.length === 1 ? ended : dropUnreachable(ended);
}

/** Main's commit is done: step 1.7 is next, at once where nothing can come between. */
export function committed(here: Here, state: State): State {
  if (here.setup.filesMayBeReplaced) return goTo(state, here.self, "1.7 acknowledge");
  return acknowledge(here, state);
}

/** Told: done. From now on nothing may strike that was left behind when this operation began. */
export function acknowledge(here: Here, state: State): State {
  const { event, work, began } = here.process.notes;
  if (!began) throw new Error("an operation that is acknowledged has begun");
  const handedOut = event ? null : work?.row?.recordRevision ?? null;
  const broken = brokenByAcknowledging(mainOf(state, here.process.file), state.history, { began, handedOut });
  const { history } = state;
  const known = changeHistory(note(state, broken), {
    erased: event ? history.erased | event.covers : history.erased,
    handedOut: handedOut === null ? history.handedOut : insorted(history.handedOut, handedOut),
  });
  const { lingering } = known.ledger;
  if (!lingering || lingering.by === NONE || lingering.by !== began.lingering) return finish(here, known);
  return finish(here, changeLedger(known, { lingering: { ...lingering, ruledOut: "laterWritesAreSafe" } }));
}

function insorted(numbers: readonly number[], number: number): readonly number[] {
  return numbers.includes(number) ? numbers : [...numbers, number].sort((a, b) => a - b);
}

/** Told: INTEGRITY. Only an old main put back deserves it. */
export function rejectIntegrity(here: Here, state: State): State {
  return finish(here, note(state, state.history.oldMainPutBack ? null : "noFalseAlarm"));
}

/** Told: REPLACED, by a store that must not be the live one. */
export function rejectReplaced(here: Here, state: State): State {
  const live = liveFiles(state, here.rules).includes(here.process.file);
  return finish(here, note(state, live ? "noFalseAlarm" : null));
}

/** Told: an error, nothing changed. From now on its commit must not surface. */
export function rejectUnchanged(here: Here, state: State): State {
  const { surfaced } = processAt(state, here.self).notes;
  return finish(here, note(ruleOut(state, here.number), surfaced ? "unchangedIsTrue" : null));
}

function ruleOut(state: State, operation: number): State {
  const meant = (lingering: LingeringCommit<unknown> | null): boolean => lingering?.by === operation;
  let next = state;
  const { lingering } = state.ledger;
  if (lingering && meant(lingering)) {
    next = changeLedger(next, { lingering: { ...lingering, ruledOut: "unchangedIsTrue" } });
  }
  state.mains.forEach((main, file) => {
    if (!main?.lingering || !meant(main.lingering)) return;
    next = changeMain(next, file, { lingering: { ...main.lingering, ruledOut: "unchangedIsTrue" } });
  });
  return next;
}

/** A process dies in the middle of its operation and is started again for the next one: it opens what its path leads to. */
export function die(here: Here, state: State): State {
  const died = finish(here, { ...state, crashesLeft: state.crashesLeft - 1 });
  const { path, file } = processAt(died, here.self);
  const named = died.paths[path] ?? NO_FILE;
  if (named === file || named === NO_FILE) return died;
  return dropUnreachable(changeProcess(died, here.self, { file: named }));
}
