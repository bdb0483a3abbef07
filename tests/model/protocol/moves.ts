/** What a step sees when it is asked for its moves, and the ways in which a COMMIT can end. */
import { changeLedger, changeMain } from "./changes.ts";
import { die } from "./endings.ts";
import type { Move } from "./explore.ts";
import type { Operation } from "./programs.ts";
import type { Rules } from "./rules.ts";
import {
  type Journal,
  type LedgerVersion,
  type MainVersion,
  NOBODY,
  NONE,
  operationNumber,
  type Process,
  processAt,
  type Setup,
  type State,
} from "./state.ts";
import { surfaceLedger, surfaceMain } from "./surfacing.ts";

/** What a step sees: the state, the process whose turn it is, its operation and that operation's number. */
export interface Here {
  readonly state: State;
  readonly self: number;
  readonly process: Process;
  readonly operation: Operation;
  readonly number: number;
  readonly setup: Setup;
  readonly rules: Rules;
}

export type Moves = readonly Move<State>[];
export type Step = (here: Here) => Moves;

/** What a step of this process sees. */
export function hereOf(state: State, self: number, setup: Setup, rules: Rules): Here {
  const process = processAt(state, self);
  const operation = setup.programs[self]?.[process.turn];
  if (!operation) throw new Error(`process ${self} has finished`);
  return { state, self, process, operation, number: operationNumber(self, process.turn), setup, rules };
}

/** How a trace calls a process. */
export function processName(self: number): string {
  return self === 0 ? "P" : "Q";
}

/** One move that leads on. */
export function step(here: Here, label: string, state: State): Move<State> {
  return { by: processName(here.self), kind: "step", label, state };
}

/** How a COMMIT can end, but for a crash in it. */
export interface CommitEnds {
  readonly label: string;
  /** The operation whose outcome hangs on this commit, or NONE. */
  readonly by: number;
  readonly done: (state: State) => State;
  /** An error, and the transaction is still open. */
  readonly refused: (state: State) => State;
  /** An error, and the transaction is not open any more. */
  readonly ended: (state: State) => State;
}

/** COMMIT of main. */
export function commitMain(here: Here, file: number, version: MainVersion, ends: CommitEnds): Moves {
  const lingering = { version, by: ends.by, ruledOut: null };
  return commitMoves(here, ends, {
    committed: changeMain(here.state, file, { now: version, lingering: null, lockedBy: NOBODY }),
    unchanged: changeMain(here.state, file, { lockedBy: NOBODY }),
    lingering: changeMain(here.state, file, { lingering, lockedBy: NOBODY }),
    surface: (state) => surfaceMain(state, file, here.rules),
    journal: here.setup.journals.main,
  });
}

/** COMMIT of the ledger. */
export function commitLedger(here: Here, version: LedgerVersion, ends: CommitEnds): Moves {
  const lingering = { version, by: ends.by, ruledOut: null };
  return commitMoves(here, ends, {
    committed: changeLedger(here.state, { now: version, lingering: null, lockedBy: NOBODY }),
    unchanged: changeLedger(here.state, { lockedBy: NOBODY }),
    lingering: changeLedger(here.state, { lingering, lockedBy: NOBODY }),
    surface: surfaceLedger,
    journal: here.setup.journals.ledger,
  });
}

/** What a file can look like after a COMMIT, which depends on its journal. */
interface CommitOutcomes {
  readonly committed: State;
  readonly unchanged: State;
  readonly lingering: State;
  readonly surface: (state: State) => State;
  readonly journal: Journal;
}

/**
 * A crash just before or after a COMMIT is a crash at a step like any other; one inside it lingers in a write-ahead log. So
 * does an error that ended the transaction; with a rollback journal it left the change there, or it did not.
 */
function commitMoves(here: Here, ends: CommitEnds, outcomes: CommitOutcomes): Moves {
  const { crashesLeft, failuresLeft } = here.state;
  const moves = [step(here, ends.label, ends.done(outcomes.committed))];
  const linger = outcomes.journal === "wal";
  if (linger && crashesLeft > 0) {
    moves.push({
      ...moveOf(here, "crash"),
      label: `${ends.label}: killed in it`,
      state: die(here, outcomes.lingering),
    });
  }
  if (failuresLeft === 0) return moves;
  const fail = (how: string, state: State): void => {
    moves.push({ ...moveOf(here, "failure"), label: `${ends.label}: ${how}`, state });
  };
  fail("an error, still open", ends.refused(failed(here.state)));
  if (linger) {
    fail("an error, not open any more", ends.ended(failed(outcomes.lingering)));
  } else {
    fail("an error, undone", ends.ended(failed(outcomes.unchanged)));
    fail("an error, but durable", ends.ended(failed(outcomes.surface(outcomes.lingering))));
  }
  return moves;
}

/** How a transaction of one cell and nothing else ends: it serves to overwrite what lingers. */
export interface ProbeEnds {
  readonly label: string;
  readonly committed: (state: State) => State;
  /** An error. What lingers may still do so. */
  readonly failed: (state: State) => State;
}

/** Probes main, which nobody may have locked. */
export function probeMain(here: Here, file: number, ends: ProbeEnds): Moves {
  return probeMoves(here, ends, changeMain(here.state, file, { lingering: null }));
}

/** Probes the ledger, which nobody may have locked: the cell is the announcement, cleared or made. */
export function probeLedger(here: Here, ends: ProbeEnds, announced: number = NONE): Moves {
  const now = { ...here.state.ledger.now, announced };
  return probeMoves(here, ends, changeLedger(here.state, { now, lingering: null }));
}

function probeMoves(here: Here, ends: ProbeEnds, committed: State): Moves {
  const done = step(here, ends.label, ends.committed(committed));
  if (here.state.failuresLeft === 0) return [done];
  const label = `${ends.label}: an error`;
  return [done, { ...moveOf(here, "failure"), label, state: ends.failed(failed(here.state)) }];
}

function moveOf(
  here: Here,
  kind: "crash" | "failure",
): { readonly by: string; readonly kind: "crash" | "failure" } {
  return { by: processName(here.self), kind };
}

function failed(state: State): State {
  return { ...state, failuresLeft: state.failuresLeft - 1 };
}
