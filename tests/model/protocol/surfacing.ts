/** Lingering commits that become visible: nobody does it, it happens, and the observer draws conclusions. */
import { changeHistory, changeLedger, changeMain, changeProcess, note } from "./changes.ts";
import { expectedAfter } from "./events.ts";
import { brokenByCreation, brokenByRecording, liveFiles } from "./promises.ts";
import type { Rules } from "./rules.ts";
import { mainOf, NONE, operationNumber, processAt, processOf, type State } from "./state.ts";

/** The ledger's lingering commit becomes what everybody sees. */
export function surfaceLedger(state: State): State {
  const { now, lingering } = state.ledger;
  if (!lingering) return state;
  const surfaced = changeLedger(marked(state, lingering.by), { now: lingering.version, lingering: null });
  const validated = note(surfaced, lingering.ruledOut);
  const event = lingering.version.events[now.events.length];
  if (event) {
    return changeHistory(note(validated, brokenByRecording(now, event, now.epoch)), {
      expected: expectedAfter(validated.history.expected, event),
    });
  }
  return lingering.version.epoch === now.epoch ? validated : switched(validated);
}

/** A main's lingering commit becomes what everybody sees. In a fenced store that matters to nobody. */
export function surfaceMain(state: State, file: number, rules: Rules): State {
  const { lingering } = mainOf(state, file);
  if (!lingering) return state;
  const surfaced = changeMain(marked(state, lingering.by), file, { now: lingering.version, lingering: null });
  if (!liveFiles(surfaced, rules).includes(file)) return surfaced;
  const validated = note(surfaced, lingering.ruledOut);
  const { row, applied } = lingering.version;
  const { events } = state.ledger.now;
  if (row === null || row.write !== lingering.by) return validated;
  const pending = events.slice(applied);
  const broken = pending.length === 0 ? brokenByCreation(events, row) : null;
  return changeHistory(note(validated, broken), { expected: pending.reduce(expectedAfter, row.write) });
}

/** The observer's: the store that the ledger names now holds what its backup held, without what was erased since. */
export function switched(state: State): State {
  const { epoch, events } = state.ledger.now;
  const content = state.mains.find((main) => main?.now.epoch === epoch)?.restoredFrom;
  if (!content) return state;
  return changeHistory(state, {
    expected: events.slice(content.applied).reduce(expectedAfter, content.write),
  });
}

/** Where the operation still runs, its process learns nothing of it, but the observer does. */
function marked(state: State, operation: number): State {
  if (operation === NONE) return state;
  const self = processOf(operation);
  const process = processAt(state, self);
  if (operationNumber(self, process.turn) !== operation) return state;
  return changeProcess(state, self, { notes: { ...process.notes, surfaced: true } });
}
