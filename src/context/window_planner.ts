/** Plans the window: as many of the newest turns as fit, without a gap. */

import type { Pace } from "../pace.ts";
import type { Drafts } from "./rendering.ts";
import type { RequestMeter } from "./request_meter.ts";
import { windowDraft, type WindowTurn, type WindowTurns } from "./window_turns.ts";

/** The input of a window plan. */
interface WindowPlan {
  readonly turns: WindowTurns;
  readonly meter: RequestMeter;
  readonly pace: Pace;
  readonly question: string;
  /** The other blocks of the request. */
  readonly drafts: Drafts;
  /** The highest estimate that the request with the window may have. */
  readonly estimateMax: number;
  /** The number of turns that are in the window already. */
  readonly from: number;
  /** Whether the window must stop before this turn, at this distance from the newest. */
  readonly isBarrier?: (turn: WindowTurn, distance: number) => boolean;
}

/**
 * Returns the size of the largest window that fits, at least `from`. The reference counts the whole window again for each
 * turn that it adds, and stops at the first turn that does not fit. This function estimates the boundary from the counts
 * of the single turns, and then finds it by counting whole requests: only two if the estimate is right. The results are
 * equal for a counter whose count does not fall when a turn is put in front.
 */
export async function planWindow(plan: WindowPlan): Promise<number> {
  const guess = await guessSize(plan);
  return await findBoundary(plan, guess);
}

/** Returns the size that fits by the sum of the turns' counts. */
async function guessSize(plan: WindowPlan): Promise<number> {
  const { turns, meter, question, drafts, from } = plan;
  const base = { ...drafts, window: windowDraft(turns.newest(from)) };
  let tokens = meter.serializedTokens(base, question);
  for (let size = from;; size++) {
    const next = await candidateAt(plan, size);
    if (next === null) return size;
    tokens += meter.counter.countPart(size === 0 ? next.last.quoted : next.inner.quoted);
    if (meter.calibrator.estimated(tokens) > plan.estimateMax) return size;
  }
}

/** Finds the boundary by counting whole requests. From a guess, it takes doubling steps, and then bisects. */
async function findBoundary(plan: WindowPlan, guess: number): Promise<number> {
  let fitting = plan.from;
  let misfit = Infinity;
  let size = guess;
  for (let step = 1; size > fitting; step *= 2) {
    if (fits(plan, size)) {
      fitting = size;
      break;
    }
    misfit = size;
    size = Math.max(plan.from, size - step);
  }
  for (let step = 1; misfit === Infinity; step *= 2) {
    size = await reachableSize(plan, fitting, fitting + step);
    if (size === fitting) return fitting;
    if (fits(plan, size)) fitting = size;
    else misfit = size;
  }
  while (misfit - fitting > 1) {
    size = Math.floor((fitting + misfit) / 2);
    if (fits(plan, size)) fitting = size;
    else misfit = size;
  }
  return fitting;
}

function fits({ turns, meter, pace, question, drafts, estimateMax }: WindowPlan, size: number): boolean {
  pace.check();
  return meter.estimated({ ...drafts, window: windowDraft(turns.newest(size)) }, question) <= estimateMax;
}

/** Returns the largest size up to `wanted` for which there are turns; `known` turns are read already. */
async function reachableSize(plan: WindowPlan, known: number, wanted: number): Promise<number> {
  let size = known;
  while (size < wanted && await candidateAt(plan, size) !== null) size++;
  return size;
}

/** Returns the next turn for a window of `size`; null if there is none, or if it is a barrier. */
async function candidateAt({ turns, isBarrier }: WindowPlan, size: number): Promise<WindowTurn | null> {
  const turn = await turns.at(size);
  return turn === null || isBarrier?.(turn, size) === true ? null : turn;
}
