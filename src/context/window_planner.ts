/** Which of the newest turns the window holds: as many as fit, without a gap. */

import type { Pace } from "../pace.ts";
import type { Drafts } from "./rendering.ts";
import type { RequestMeter } from "./request_meter.ts";
import { windowDraft, type WindowTurn, type WindowTurns } from "./window_turns.ts";

/** What a window is planned for. */
interface WindowPlan {
  readonly turns: WindowTurns;
  readonly meter: RequestMeter;
  readonly pace: Pace;
  readonly question: string;
  /** The other blocks of the request. */
  readonly drafts: Drafts;
  /** What the request may be estimated at with the window in it. */
  readonly estimateMax: number;
  /** Turns that are in the window already; 0 to begin with. */
  readonly from: number;
  /** The window does not grow over a turn, at a distance from the newest, for which this is true. */
  readonly isBarrier?: (turn: WindowTurn, distance: number) => boolean;
}

/**
 * Turns of the largest window that fits, at least `from`. The reference counts the whole window anew for each turn that
 * it adds, and stops at the first that does not fit. Here the boundary is guessed from the turns' own counts, each as
 * it stands in the request, and then settled by counting whole requests: two, where the guess is right. Both come to
 * the same for a counter whose count does not fall when a turn is put in front.
 */
export async function planWindow(plan: WindowPlan): Promise<number> {
  const guess = await guessed(plan);
  return await settled(plan, guess);
}

/** The turns that fit by the sum of their counts. */
async function guessed(plan: WindowPlan): Promise<number> {
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

/** The boundary, found by whole requests from a guess: by steps that double, then by halves. */
async function settled(plan: WindowPlan, guess: number): Promise<number> {
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
    size = await reachable(plan, fitting, fitting + step);
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

/** The largest size up to `wanted` that there are turns for; all below `known` are read already. */
async function reachable(plan: WindowPlan, known: number, wanted: number): Promise<number> {
  let size = known;
  while (size < wanted && await candidateAt(plan, size) !== null) size++;
  return size;
}

/** The turn that would make a window of `size` one larger; null where there is none, or it is a barrier. */
async function candidateAt({ turns, isBarrier }: WindowPlan, size: number): Promise<WindowTurn | null> {
  const turn = await turns.at(size);
  return turn === null || isBarrier?.(turn, size) === true ? null : turn;
}
