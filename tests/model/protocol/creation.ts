/** Creation as something that can be searched: several processes open a store that is not there yet. */
import { type CreationRule, type CreationState, started } from "./creation_state.ts";
import { creationMoves } from "./creation_steps.ts";
import type { Model } from "./explore.ts";

/** How many processes open the store how often, and what may go wrong. */
export interface CreationSetup {
  readonly processes: number;
  readonly opens: number;
  readonly crashes: number;
  readonly failures: number;
}

/** The model, all rules in force but those named. */
export function creationModel(setup: CreationSetup, ...left: readonly CreationRule[]): Model<CreationState> {
  const inForce = (rule: CreationRule): boolean => !left.includes(rule);
  const opener = started({ opensLeft: setup.opens });
  return {
    start: {
      ledger: null,
      main: null,
      openers: Array.from({ length: setup.processes }, () => opener),
      opened: null,
      broken: null,
      crashesLeft: setup.crashes,
      failuresLeft: setup.failures,
    },
    moves: (state) => creationMoves(state, inForce),
    key: (state) => JSON.stringify(state),
    brokenPromise: (state) => state.broken ?? (filesAgree(state) ? null : "filesAgree"),
    isFinished: (state) => state.openers.every((one) => one.step === "finished"),
  };
}

function filesAgree({ ledger, main }: CreationState): boolean {
  const named = ledger?.schema;
  if (!named || named.epoch === null) return true;
  return main?.schema?.lineage === named.lineage && main.schema.epoch === named.epoch;
}
