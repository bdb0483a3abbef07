/** What main, the ledger, the processes and the outside observer hold, and nothing else. */
import type { Operation } from "./programs.ts";
import type { PromiseName } from "./promises.ts";

/** No process; no file. */
export const NOBODY = -1;
export const NO_FILE = -1;
/** No operation, no write, no event. Operations are numbered from 1; writes, events and epochs bear the number of their operation. */
export const NONE = 0;
/** Stands for 2^32: how many revisions one generation may hand out. */
export const GENERATION_RANGE = 100;
/** Operations a program may have; numbers of operations must fit the bits of a set. */
export const OPERATIONS_MAX = 8;

/** Where a process stands. Numbers are the protocol's; a step is named for what it will do next. */
export const STEP_NAMES = [
  "finished",
  "1.1 look for the tombstone",
  "1.2 begin main",
  "1.3 check the ledger",
  "1.3 clear the announcement",
  "1.4 roll forward",
  "1.6 commit main",
  "1.6 probe main",
  "1.7 acknowledge",
  "2.0 announce the commit",
  "2.1 begin the ledger",
  "2.4 commit the ledger",
  "2.5 probe the ledger",
  "2.6 commit main",
  "3.1 take main's snapshot",
  "3.2 look at the ledger",
  "3.3 begin main",
  "4.1 look at the destination",
  "4.1 remove the destination",
  "4.2 copy the backup",
  "4.3 prepare the copy",
  "4.4 link",
  "4.4 unlink the copy's name",
  "4.5 begin the destination",
  "4.5 begin the ledger",
  "4.5 announce the commit",
  "4.6 commit the ledger",
  "4.6 probe the ledger",
  "4.7 complete the destination",
  "take a backup",
  "put an old main back",
  "open the live store",
] as const;
export type StepName = typeof STEP_NAMES[number];

/** The one identifier that stands for all: every rule is about one identifier at a time. It is a turn and a record at once. */
export interface Row {
  /** The number of the operation that wrote it: its content. */
  readonly write: number;
  /** Its own revision, continued above floors. */
  readonly turnRevision: number;
  /** The store-wide record counter's value it was given. */
  readonly recordRevision: number;
  /** Its subject: one person, or none. */
  readonly owner: Owner;
}

/** Nobody, or the one person that stands for all. */
export type Owner = 0 | 1;

/** What an event does: it erases whatever it finds, what is the person's, or it says whose what it finds is from then on. */
export const EFFECTS = ["erases", "erases what is owned", "labels"] as const;

/**
 * One entry of the ledger. `covers` is the observer's: every content that existed when it was recorded, and that it concerned
 * by the labels until then.
 */
export interface Event {
  readonly effect: typeof EFFECTS[number];
  /** Whose it is from then on, of a label. */
  readonly owner: Owner;
  readonly id: number;
  readonly previous: number;
  readonly burns: boolean;
  readonly floor: number;
  readonly covers: number;
}

/** All that one commit of main makes durable together. */
export interface MainVersion {
  readonly epoch: number;
  readonly generation: number;
  /** The ledger's generation a restore started from; null in a live store. */
  readonly pendingFrom: number | null;
  readonly applied: number;
  readonly appliedHead: number;
  readonly row: Row | null;
  readonly reserved: boolean;
  readonly floor: number;
  readonly recordCounter: number;
  /** Written afresh by every write group: whose commit was the last. */
  readonly lastGroup: number;
}

/** All that one commit of the ledger makes durable together. */
export interface LedgerVersion {
  /**
   * What is about to be committed: an event's sequence, or a restore's generation, negative; NONE once it is in, or known
   * never to come.
   */
  readonly announced: number;
  readonly generation: number;
  readonly epoch: number;
  readonly events: readonly Event[];
}

/**
 * A commit that was not completed: its process was killed in it, or got an error. In a write-ahead log it is whole but not
 * in the index that living processes share. It surfaces when the log is recovered, unless another commit overwrites it.
 */
export interface LingeringCommit<Version> {
  readonly version: Version;
  /** The operation whose outcome hangs on it, or NONE where surfacing only completes what is irrevocable. */
  readonly by: number;
  /** The promise that surfacing would break by now. */
  readonly ruledOut: PromiseName | null;
}

/** A database file: what readers see, what lingers, who holds its write lock. */
export interface StoredFile<Version> {
  readonly now: Version;
  readonly lingering: LingeringCommit<Version> | null;
  readonly lockedBy: number;
}

/** A main, with what the observer knows of it: the backup it was restored from, and whether it missed more than one batch. */
export interface MainFile extends StoredFile<MainVersion> {
  readonly restoredFrom: { readonly write: number; readonly applied: number } | null;
  readonly tooOld: boolean;
}

/** The observer's: what was so when an operation began, that is, when it first looked at anything. */
export interface Began {
  /** The store was fenced or replaced. */
  readonly fenced: boolean;
  readonly events: number;
  /** The operation whose commit lingered at the ledger. */
  readonly lingering: number;
  /** Contents covered by acknowledged, and by recorded deletions. */
  readonly erased: number;
  readonly recorded: number;
}

/** What a process remembers of its running operation; a crash forgets it. */
export interface Notes {
  readonly began: Began | null;
  /** Main as the open transaction sees it. */
  readonly work: MainVersion | null;
  readonly event: Event | null;
  /** Main's last group when the transaction began. */
  readonly lastGroupBefore: number;
  /** The observer's: the commit that this operation could not complete has surfaced. */
  readonly surfaced: boolean;
  /** What a read saw of main. */
  readonly snapshot: MainVersion | null;
  /** The main a restore works on. */
  readonly destination: number;
  /** Only where a rule is left out: what was looked at too early. */
  readonly earlyMain: MainVersion | null;
  readonly earlyLedger: LedgerVersion | null;
}

/** A process: its place in its program, and the file it has open under a path. */
export interface Process {
  readonly turn: number;
  readonly step: StepName;
  readonly path: number;
  readonly file: number;
  readonly notes: Notes;
}

/** What an observer of all callers knows; the protocol never reads it. */
export interface History {
  /** The content the live store must hold once everything recorded is applied. */
  readonly expected: number;
  /** Contents covered by acknowledged deletions. */
  readonly erased: number;
  /** Record revisions handed out, in their order. */
  readonly handedOut: readonly number[];
  readonly oldMainPutBack: boolean;
  readonly broken: PromiseName | null;
}

/** Paths: 0 is the store, 1 and 2 are destinations of restores; `copies` holds what is at the destination's ".restoring" name. */
export interface State {
  readonly ledger: StoredFile<LedgerVersion>;
  readonly mains: readonly (MainFile | null)[];
  readonly paths: readonly number[];
  readonly copies: readonly number[];
  readonly backups: readonly MainVersion[];
  readonly processes: readonly Process[];
  readonly history: History;
  readonly crashesLeft: number;
  readonly failuresLeft: number;
}

/** In a write-ahead log a commit can linger; what a rollback journal leaves is settled by whoever looks next. */
export type Journal = "wal" | "rollback";

/** Which file has which. */
export interface Journals {
  readonly main: Journal;
  readonly ledger: Journal;
}

/** What the whole search shares: two programs, and how many crashes and failing commits may strike. */
export interface Setup {
  readonly programs: readonly (readonly Operation[])[];
  readonly crashes: number;
  readonly failures: number;
  readonly journals: Journals;
  /** An operator may put an old main back: only then can names change between a commit and step 1.7. */
  readonly filesMayBeReplaced: boolean;
}

export const NO_NOTES: Notes = {
  began: null,
  work: null,
  event: null,
  lastGroupBefore: NONE,
  surfaced: false,
  snapshot: null,
  destination: NO_FILE,
  earlyMain: null,
  earlyLedger: null,
};

/** The number of a process's operation; also of what it writes, records or restores. */
export function operationNumber(self: number, turn: number): number {
  return 1 + self * OPERATIONS_MAX + turn;
}

/** The process whose operation bears this number. */
export function processOf(operation: number): number {
  return Math.floor((operation - 1) / OPERATIONS_MAX);
}

/** The set that holds one number; sets of numbers are the bits of an integer. */
export function setOf(number: number): number {
  return 1 << number;
}

/** The main behind a file number; a process never holds a number of nothing. */
export function mainOf(state: State, file: number): MainFile {
  const main = state.mains[file];
  if (!main) throw new Error(`no main has number ${file}`);
  return main;
}

/** The process with this number. */
export function processAt(state: State, self: number): Process {
  const process = state.processes[self];
  if (!process) throw new Error(`no process has number ${self}`);
  return process;
}

/** Mains that a name leads to, without those still being copied. */
export function namedFiles(state: State): readonly number[] {
  return state.paths.filter((file) => file !== NO_FILE);
}
