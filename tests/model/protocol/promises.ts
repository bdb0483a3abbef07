/** What the protocol promises, each as an assertion over states or over the moment something is answered. */
import { applyEvents } from "./events.ts";
import type { Rules } from "./rules.ts";
import {
  type Began,
  type Event,
  type History,
  type LedgerVersion,
  type MainFile,
  mainOf,
  type MainVersion,
  namedFiles,
  NONE,
  type Row,
  setOf,
  type State,
} from "./state.ts";

export const PROMISES = {
  acknowledgedStaysUnread: "an acknowledged deletion is not readable afterwards",
  recordedStaysUnread: "a recorded deletion is not readable by a read that begins afterwards",
  acknowledgedStaysGone: "recovery brings back no acknowledged deletion",
  recordedIsApplied: "a recorded deletion is applied after recovery",
  reservedStaysReserved: "a reserved identifier is not created again",
  floorsHold: "no revision at or below a floor is created again",
  revisionsAreUnique: "no revision is handed out twice",
  oneLiveStore: "exactly one store is live",
  fencedIsSilent: "a fenced or replaced store acknowledges and answers nothing that began afterwards",
  fencedRecordsNothing: "a fenced store records nothing in the ledger",
  noFalseAlarm: "no INTEGRITY and no REPLACED in an honest run",
  olderMainIsRefused: "a main that missed more than one batch answers and acknowledges nothing",
  oneBatchPending: "at most one batch is pending",
  chainNeverForks: "the chain of the ledger never forks",
  historyIsKept: "the live store holds what the acknowledged and recorded effects say",
  unchangedIsTrue: "an error that says 'nothing changed' is true, and stays so",
  laterWritesAreSafe: "what was not completed never strikes after a later write was acknowledged",
  noDeadlock: "no deadlock",
} as const;
export type PromiseName = keyof typeof PROMISES;

/** Whether a main may serve and write: its epoch is the ledger's. */
export function isUsable(main: MainVersion, ledger: LedgerVersion, rules: Rules): boolean {
  if (main.epoch === ledger.epoch) return true;
  return !rules.pendingNotUsable && main.pendingFrom === ledger.generation;
}

/** The mains that a name leads to and that are usable; all promises together say that there is exactly one. */
export function liveFiles(state: State, rules: Rules): readonly number[] {
  return namedFiles(state).filter((file) => isUsable(mainOf(state, file).now, state.ledger.now, rules));
}

/** The promise that this state breaks, were everything to stop here and be opened again. */
export function brokenPromise(state: State, rules: Rules): PromiseName | null {
  if (state.history.broken) return state.history.broken;
  const [live, ...others] = liveFiles(state, rules);
  if (live === undefined || others.length > 0) return "oneLiveStore";
  const main = mainOf(state, live);
  return main.tooOld ? null : brokenByRecovery(state, main, rules);
}

function brokenByRecovery(state: State, main: MainFile, rules: Rules): PromiseName | null {
  const { events } = state.ledger.now;
  const { history } = state;
  const pending = events.length - main.now.applied;
  if (pending < 0) return "noFalseAlarm";
  if (pending > 1 && main.now.pendingFrom === null && !history.oldMainPutBack) return "oneBatchPending";
  const row = applyEvents(main.now, events, rules).row;
  if (row && isIn(history.erased, row)) return "acknowledgedStaysGone";
  if (row && isIn(coveredBy(events), row)) return "recordedIsApplied";
  return (row?.write ?? 0) === history.expected ? null : "historyIsKept";
}

/** The promise broken by answering a read with this snapshot. */
export function brokenByAnswer(main: MainFile, began: Began, row: Row | null): PromiseName | null {
  if (row && isIn(began.erased, row)) return "acknowledgedStaysUnread";
  if (row && isIn(began.recorded, row)) return "recordedStaysUnread";
  if (main.tooOld) return "olderMainIsRefused";
  return began.fenced ? "fencedIsSilent" : null;
}

/** The promise broken by creating this row in the live store. */
export function brokenByCreation(events: readonly Event[], row: Row): PromiseName | null {
  if (events.some((event) => event.burns)) return "reservedStaysReserved";
  return events.some((event) => row.turnRevision <= event.floor) ? "floorsHold" : null;
}

/** The promise broken by adding this event, written on behalf of a main of this epoch. */
export function brokenByRecording(ledger: LedgerVersion, event: Event, epoch: number): PromiseName | null {
  if (event.previous !== (ledger.events.at(-1)?.id ?? 0)) return "chainNeverForks";
  return ledger.epoch === epoch ? null : "fencedRecordsNothing";
}

/** The promise broken by acknowledging a write, which handed out this record revision or none. */
export function brokenByAcknowledging(
  main: MainFile,
  history: History,
  write: { readonly began: Began; readonly handedOut: number | null },
): PromiseName | null {
  if (main.tooOld) return "olderMainIsRefused";
  if (write.began.fenced) return "fencedIsSilent";
  if (write.handedOut === null || history.oldMainPutBack) return null;
  return history.handedOut.includes(write.handedOut) ? "revisionsAreUnique" : null;
}

/** What an operation may rely on that begins now, with this main. */
export function beginning(state: State, file: number, rules: Rules): Began {
  return {
    fenced: !liveFiles(state, rules).includes(file),
    events: state.ledger.now.events.length,
    lingering: state.ledger.lingering?.by ?? NONE,
    erased: state.history.erased,
    recorded: coveredBy(state.ledger.now.events),
  };
}

/** Everything that these events cover. */
export function coveredBy(events: readonly Event[]): number {
  return events.reduce((covered, event) => covered | event.covers, 0);
}

function isIn(set: number, row: Row): boolean {
  return (set & setOf(row.write)) !== 0;
}
