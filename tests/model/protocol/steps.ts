/** Every step of the protocol by name, and everything that can happen next in a state. */
import { DELETION_STEPS } from "./deletion_steps.ts";
import { die } from "./endings.ts";
import type { Move } from "./explore.ts";
import { type Here, hereOf, type Moves, processName, type Step } from "./moves.ts";
import { OPERATOR_STEPS } from "./operator_steps.ts";
import { firstStep } from "./programs.ts";
import { READ_STEPS } from "./read_steps.ts";
import { RESTORE_STEPS } from "./restore_steps.ts";
import type { Rules } from "./rules.ts";
import { mainOf, namedFiles, NOBODY, processAt, type Setup, type State, type StepName } from "./state.ts";
import { surfaceLedger, surfaceMain } from "./surfacing.ts";
import { SWITCH_STEPS } from "./switch_steps.ts";
import { WRITE_STEPS } from "./write_steps.ts";

const STEPS: Readonly<Record<Exclude<StepName, "finished">, Step>> = {
  ...WRITE_STEPS,
  ...DELETION_STEPS,
  ...READ_STEPS,
  ...RESTORE_STEPS,
  ...SWITCH_STEPS,
  ...OPERATOR_STEPS,
};

/** Everything that can happen next. */
export function movesOf(state: State, setup: Setup, rules: Rules): Moves {
  const moves: Move<State>[] = [];
  for (let self = 0; self < state.processes.length; self++) {
    const { step } = processAt(state, self);
    if (step === "finished") continue;
    const here = hereOf(state, self, setup, rules);
    moves.push(...STEPS[step](here));
    const crashed = crash(here);
    if (crashed) moves.push(crashed);
  }
  return moves.concat(surfacings(state, rules));
}

/** A process dies between two steps of an operation. */
function crash(here: Here): Move<State> | null {
  if (here.state.crashesLeft === 0 || here.process.step === firstStep(here.operation, here.rules)) {
    return null;
  }
  return { by: processName(here.self), kind: "crash", label: "crashes", state: die(here, here.state) };
}

/** What lingers surfaces, while nobody has that file locked. What has no name is not looked at. */
function surfacings(state: State, rules: Rules): Moves {
  const moves: Move<State>[] = [];
  const surface = (what: string, surfaced: State): void => {
    moves.push({ by: what, kind: "surfacing", label: "a commit surfaces", state: surfaced });
  };
  if (state.ledger.lingering && state.ledger.lockedBy === NOBODY) surface("ledger", surfaceLedger(state));
  for (const file of namedFiles(state)) {
    const main = mainOf(state, file);
    if (main.lingering && main.lockedBy === NOBODY) surface("main", surfaceMain(state, file, rules));
  }
  return moves;
}
