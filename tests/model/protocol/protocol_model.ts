/** The protocol as something that can be searched: two programs over one main and one ledger. */
import type { Model } from "./explore.ts";
import { keyOf } from "./key.ts";
import { firstStep, program } from "./programs.ts";
import { brokenPromise } from "./promises.ts";
import { type Rules, rulesWithout } from "./rules.ts";
import {
  type Journals,
  type MainFile,
  NO_FILE,
  NO_NOTES,
  NOBODY,
  NONE,
  operationNumber,
  OPERATIONS_MAX,
  type Process,
  type Setup,
  type State,
} from "./state.ts";
import { movesOf } from "./steps.ts";

/** What was there before anybody did anything. */
const FIRST_WRITE = operationNumber(2, 0);

/** Two programs as text, and what may go wrong. */
export interface Pair {
  readonly programs: readonly [string, string];
  readonly crashes: number;
  readonly failures: number;
  /** Write-ahead logs, unless said otherwise. */
  readonly journals?: Journals;
}

/** The model of a pair under the given rules, all of them unless said otherwise. */
export function protocolModel(pair: Pair, rules: Rules = rulesWithout()): Model<State> {
  const programs = pair.programs.map(program);
  if (programs.some((operations) => operations.length > OPERATIONS_MAX)) {
    throw new Error("a program is too long");
  }
  const setup: Setup = {
    programs,
    crashes: pair.crashes,
    failures: pair.failures,
    journals: pair.journals ?? { main: "wal", ledger: "wal" },
    filesMayBeReplaced: programs.flat().some((operation) => operation.kind === "putBack"),
  };
  return {
    start: startState(setup, rules),
    moves: (state) => movesOf(state, setup, rules),
    key: keyOf,
    brokenPromise: (state) => brokenPromise(state, rules),
    isFinished: (state) => state.processes.every((process) => process.step === "finished"),
  };
}

function startState(setup: Setup, rules: Rules): State {
  return {
    ledger: {
      now: { announced: NONE, generation: 0, epoch: NONE, events: [] },
      lingering: null,
      lockedBy: NOBODY,
    },
    mains: [startMain()],
    paths: [0, NO_FILE, NO_FILE],
    copies: [NO_FILE, NO_FILE, NO_FILE],
    backups: [],
    processes: setup.programs.map((operations): Process => ({
      turn: 0,
      step: firstStep(operations[0], rules),
      path: 0,
      file: 0,
      notes: NO_NOTES,
    })),
    history: {
      expected: FIRST_WRITE,
      erased: 0,
      handedOut: [1],
      oldMainPutBack: false,
      broken: null,
    },
    crashesLeft: setup.crashes,
    failuresLeft: setup.failures,
  };
}

/** One row, written by nobody here. */
function startMain(): MainFile {
  return {
    now: {
      epoch: NONE,
      generation: 0,
      pendingFrom: null,
      applied: 0,
      appliedHead: NONE,
      row: { write: FIRST_WRITE, turnRevision: 1, recordRevision: 1, owner: 0 },
      reserved: false,
      floor: 0,
      recordCounter: 1,
      lastGroup: NONE,
    },
    lingering: null,
    lockedBy: NOBODY,
    restoredFrom: null,
    tooOld: false,
  };
}
