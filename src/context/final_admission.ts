/**
 * The final check of the whole request: it is counted as it will be sent. If it does not fit after all, parts are removed
 * one by one. Normally the layers have ensured that it fits.
 */

import type { Chunk } from "../contracts/chunk.ts";
import { BudgetError, PolicyError } from "../errors.ts";
import type { Pace } from "../pace.ts";
import { requiredTooLarge } from "./budget_plan.ts";
import type { Drop } from "./diagnostics.ts";
import type { TokenEstimate } from "./counting/estimate.ts";
import { evidenceDraft } from "./evidence.ts";
import { type Drafts, EMPTY_DRAFT } from "./rendering.ts";
import type { RequestMeter } from "./request_meter.ts";
import { windowDraft, type WindowTurn } from "./window_turns.ts";

/** A request that is to be admitted. */
interface Candidate {
  readonly drafts: Drafts;
  /** Oldest first. */
  readonly window: readonly WindowTurn[];
  /** Best first. */
  readonly chunks: readonly Chunk[];
}

/** A request that fits. */
export interface Admitted extends Candidate {
  readonly estimate: TokenEstimate;
  readonly drops: readonly Drop[];
}

/** The conditions of admission. */
interface Admission {
  readonly meter: RequestMeter;
  readonly question: string;
  readonly inputAllowance: number;
  readonly pace: Pace;
}

/**
 * Admits a request that fits. Otherwise it removes the summary first, then the oldest turns of the window, then the last
 * chunks of the evidence, and puts nothing in their place.
 *
 * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE` if nothing is left to remove
 * @throws {PolicyError} if the counter returns another number for the same request
 */
export function admit(candidate: Candidate, admission: Admission): Admitted {
  const { meter, question, inputAllowance, pace } = admission;
  const drops: Drop[] = [];
  let current = candidate;
  for (;;) {
    pace.check();
    const estimated = meter.estimated(current.drafts, question);
    if (estimated <= inputAllowance) {
      const estimate = meter.estimate(current.drafts, question);
      requireSteadyCount(estimate, meter.countAfresh(current.drafts, question));
      requireFit(estimate, inputAllowance);
      return { ...current, estimate, drops };
    }
    const smaller = shrink(current, drops);
    if (smaller === null) throw requiredTooLarge(estimated, inputAllowance);
    current = smaller;
  }
}

/** Returns the candidate with one part removed; null if only the required blocks are left. */
function shrink({ drafts, window, chunks }: Candidate, drops: Drop[]): Candidate | null {
  const reason = "final_request_over_budget";
  if ((drafts.summary?.parts.length ?? 0) > 0) {
    drops.push({ kind: "summary", sourceId: null, reason });
    return { window, chunks, drafts: { ...drafts, summary: EMPTY_DRAFT } };
  }
  const [oldest, ...newer] = window;
  if (oldest !== undefined) {
    drops.push({ kind: "window", sourceId: oldest.turn.turnId, reason });
    return { window: newer, chunks, drafts: { ...drafts, window: windowDraft(newer) } };
  }
  const last = chunks.at(-1);
  if (last === undefined) return null;
  const better = chunks.slice(0, -1);
  drops.push({ kind: "retrieved", sourceId: last.chunkId, reason });
  return { window, chunks: better, drafts: { ...drafts, retrieved: evidenceDraft(better) } };
}

function requireSteadyCount(estimate: TokenEstimate, tokens: number): void {
  if (tokens === estimate.serializedTokens) return;
  throw new PolicyError("The token counter returned two numbers for the same request");
}

/** Refuses a request over budget. Unreachable unless two estimates contradict each other, and kept for that case. */
function requireFit({ estimatedTokens }: TokenEstimate, inputAllowance: number): void {
  if (estimatedTokens <= inputAllowance) return;
  throw new BudgetError("PROMPT_TOO_LARGE", "The finished request exceeds the input allowance", {
    details: { estimatedTokens, inputAllowance, overflowTokens: estimatedTokens - inputAllowance },
  });
}
