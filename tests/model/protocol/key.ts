/** A state as a short string, one character a number: equal strings, equal states. */
import { contentsOf } from "./events.ts";
import {
  type Began,
  EFFECTS,
  type Event,
  type History,
  type LedgerVersion,
  type LingeringCommit,
  type MainFile,
  type MainVersion,
  NO_NOTES,
  type Notes,
  type Process,
  type Row,
  type State,
  STEP_NAMES,
  type StepName,
} from "./state.ts";
import { type PromiseName, PROMISES } from "./promises.ts";

const STEP_NUMBERS = new Map<StepName, number>(STEP_NAMES.map((name, number) => [name, number]));
const PROMISE_NUMBERS = new Map<string, number>(
  Object.keys(PROMISES).map((name, number) => [name, number + 1]),
);
/** In place of something that is absent; no number comes near it. */
const ABSENT = 0xffff;

/** Numbers are gathered here and turned into a string at once: the search spends much of its time in this file. */
const numbers: number[] = [];

/** Sets of contents are cut down to contents that still exist: the others make no difference any more. */
let contents = 0;
/** Who wrote last is asked only after an error; where none can come any more, it makes no difference. */
let lastGroupMatters = true;

/** The key of a state. */
export function keyOf(state: State): string {
  numbers.length = 0;
  contents = contentsOf(state);
  lastGroupMatters = state.failuresLeft > 0 ||
    state.processes.some((process) => process.step === "1.6 probe main");
  add(state.crashesLeft * 16 + state.failuresLeft);
  addLedger(state.ledger.now);
  add(state.ledger.lockedBy + 1);
  addLingering(state.ledger.lingering, addLedger);
  for (const process of state.processes) addProcess(process);
  addHistory(state.history);
  for (const file of state.paths) add(file + 1);
  for (const file of state.copies) add(file + 1);
  for (const backup of state.backups) addMain(backup);
  add(ABSENT);
  state.mains.forEach((main, file) => {
    if (!main) return;
    add(file);
    addFile(main);
  });
  return String.fromCharCode(...numbers);
}

function add(number: number): void {
  numbers.push(number);
}

/** A set has more than sixteen bits. */
function addSet(set: number): void {
  numbers.push(set & 0xffff, set >>> 16);
}

function addRow(row: Row | null): void {
  if (row) numbers.push(row.write, row.turnRevision, row.recordRevision * 2 + row.owner);
  else add(ABSENT);
}

function addMain(main: MainVersion): void {
  add(main.epoch);
  add(main.generation);
  add(main.pendingFrom ?? ABSENT);
  add(main.applied);
  add(main.appliedHead);
  addRow(main.row);
  add(main.floor * 2 + Number(main.reserved));
  add(main.recordCounter);
  if (lastGroupMatters) add(main.lastGroup);
}

function addFile(main: MainFile): void {
  addMain(main.now);
  add(main.lockedBy + 1);
  addLingering(main.lingering, addMain);
  add(main.restoredFrom ? main.restoredFrom.write * 16 + main.restoredFrom.applied : ABSENT);
  add(Number(main.tooOld));
}

function addEvent(event: Event): void {
  numbers.push(event.id, event.previous, event.floor * 2 + Number(event.burns));
  add(EFFECTS.indexOf(event.effect) * 2 + event.owner);
  addSet(event.covers & contents);
}

function addLedger(ledger: LedgerVersion): void {
  numbers.push(ledger.announced, ledger.generation, ledger.epoch, ledger.events.length);
  for (const event of ledger.events) addEvent(event);
}

function addLingering<Version>(
  lingering: LingeringCommit<Version> | null,
  addVersion: (version: Version) => void,
): void {
  if (!lingering) return add(ABSENT);
  add(lingering.by);
  add(promiseNumber(lingering.ruledOut));
  addVersion(lingering.version);
}

function addProcess(process: Process): void {
  add(process.turn * 64 + (STEP_NUMBERS.get(process.step) ?? 0));
  add(process.path * 64 + process.file);
  if (process.notes === NO_NOTES) add(ABSENT);
  else addNotes(process.notes);
}

function addNotes(notes: Notes): void {
  add(Number(notes.surfaced));
  add(notes.lastGroupBefore);
  add(notes.destination + 1);
  addOptional(notes.work, addMain);
  addOptional(notes.event, addEvent);
  addOptional(notes.earlyMain, addMain);
  addOptional(notes.earlyLedger, addLedger);
  addOptional(notes.snapshot, addMain);
  addOptional(notes.began, addBegan);
}

function addBegan(began: Began): void {
  numbers.push(Number(began.fenced), began.events, began.lingering);
  addSet(began.erased & contents);
  addSet(began.recorded & contents);
}

function addOptional<Item>(item: Item | null, addItem: (item: Item) => void): void {
  if (item === null) add(ABSENT);
  else addItem(item);
}

function addHistory(history: History): void {
  add(history.expected * 2 + Number(history.oldMainPutBack));
  add(promiseNumber(history.broken));
  addSet(history.erased & contents);
  numbers.push(history.handedOut.length, ...history.handedOut);
}

function promiseNumber(promise: PromiseName | null): number {
  return promise === null ? 0 : PROMISE_NUMBERS.get(promise) ?? 0;
}
