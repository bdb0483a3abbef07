/**
 * The last look at the whole request: it is counted as it will be sent, and if it does not fit after all, one thing
 * after the other is taken out. The layers see to it that normally nothing is.
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

/** What is admitted, or shrunk until it is. */
interface Candidate {
  readonly drafts: Drafts;
  /** Oldest first. */
  readonly window: readonly WindowTurn[];
  /** Best first. */
  readonly chunks: readonly Chunk[];
}

/** What was admitted. */
export interface Admitted extends Candidate {
  readonly estimate: TokenEstimate;
  readonly drops: readonly Drop[];
}

/** What requests are admitted by. */
interface Admission {
  readonly meter: RequestMeter;
  readonly question: string;
  readonly inputAllowance: number;
  readonly pace: Pace;
}

/**
 * Admits a request. What goes first: the summary, then the window's oldest turns, then the last of the evidence; nothing
 * is put in its place.
 *
 * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE`, where nothing is left to take out
 * @throws {PolicyError} where the counter counts the same request differently
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
    const smaller = shrunk(current, drops);
    if (smaller === null) throw requiredTooLarge(estimated, inputAllowance);
    current = smaller;
  }
}

/** The candidate with one thing less; null where only what must be there is left. */
function shrunk({ drafts, window, chunks }: Candidate, drops: Drop[]): Candidate | null {
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
  throw new PolicyError("The token counter counted the identical request differently");
}

/** Unreachable unless estimates contradict each other; kept, because a request over budget must never leave. */
function requireFit({ estimatedTokens }: TokenEstimate, inputAllowance: number): void {
  if (estimatedTokens <= inputAllowance) return;
  throw new BudgetError("PROMPT_TOO_LARGE", "The finished request exceeds the input allowance", {
    details: { estimatedTokens, inputAllowance, overflowTokens: estimatedTokens - inputAllowance },
  });
}
