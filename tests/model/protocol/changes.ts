/** Small pure changes of a state. Each gives a new state and leaves the old one as it was. */
import type { PromiseName } from "./promises.ts";
import {
  type History,
  type LedgerVersion,
  type MainFile,
  mainOf,
  NO_FILE,
  NO_NOTES,
  NOBODY,
  type Notes,
  type Process,
  processAt,
  type State,
  type StepName,
  type StoredFile,
} from "./state.ts";

/** The list with one place changed. */
export function replaced<Item>(items: readonly Item[], place: number, item: Item): readonly Item[] {
  const copy = items.slice();
  copy[place] = item;
  return copy;
}

/** Changes one process. */
export function changeProcess(state: State, self: number, change: Partial<Process>): State {
  return { ...state, processes: replaced(state.processes, self, { ...processAt(state, self), ...change }) };
}

/** Moves one process on to a step and adds to what it remembers. */
export function goTo(state: State, self: number, step: StepName, notes?: Partial<Notes>): State {
  if (!notes) return changeProcess(state, self, { step });
  return changeProcess(state, self, { step, notes: { ...processAt(state, self).notes, ...notes } });
}

/** Changes one main. */
export function changeMain(state: State, file: number, change: Partial<MainFile>): State {
  return { ...state, mains: replaced(state.mains, file, { ...mainOf(state, file), ...change }) };
}

/** Changes the ledger. */
export function changeLedger(state: State, change: Partial<StoredFile<LedgerVersion>>): State {
  return { ...state, ledger: { ...state.ledger, ...change } };
}

/** Changes what the observer knows. */
export function changeHistory(state: State, change: Partial<History>): State {
  return { ...state, history: { ...state.history, ...change } };
}

/** Writes down that a promise is broken; the first one stays. */
export function note(state: State, promise: PromiseName | null): State {
  return promise && !state.history.broken ? changeHistory(state, { broken: promise }) : state;
}

/** Rolls back whatever one process has open: in this model a lock is all that an open transaction leaves on a file. */
export function releaseAll(state: State, self: number): State {
  const mains = state.mains.some((main) => main?.lockedBy === self)
    ? state.mains.map((main) => main?.lockedBy === self ? { ...main, lockedBy: NOBODY } : main)
    : state.mains;
  const ledger = state.ledger.lockedBy === self ? { ...state.ledger, lockedBy: NOBODY } : state.ledger;
  return { ...state, mains, ledger };
}

/** Rolls everything back, forgets, and goes to a step: the protocol's "begin again". */
export function beginAgain(state: State, self: number, step: StepName): State {
  const { earlyMain } = processAt(state, self).notes;
  return changeProcess(releaseAll(state, self), self, { step, notes: { ...NO_NOTES, earlyMain } });
}

/** Forgets mains that no name leads to and nobody has open, so that equal situations are equal states. */
export function dropUnreachable(state: State): State {
  const kept = (file: number): boolean =>
    state.paths.includes(file) || state.copies.includes(file) ||
    state.processes.some((process) => process.file === file || process.notes.destination === file);
  return { ...state, mains: state.mains.map((main, file) => main && kept(file) ? main : null) };
}

/** Adds a main and gives its number. */
export function addMain(state: State, main: MainFile): { readonly state: State; readonly file: number } {
  const free = state.mains.indexOf(null);
  const file = free === NO_FILE ? state.mains.length : free;
  return { state: { ...state, mains: replaced(state.mains, file, main) }, file };
}
