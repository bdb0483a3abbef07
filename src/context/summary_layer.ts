/** SUMMARIZE: adds a summary of the turns that the window leaves out. */

import { canonicalJson } from "../canonical/canonical_json.ts";
import type { Summary } from "../contracts/summary.ts";
import type { LayerReason } from "./diagnostics.ts";
import { type Draft, draftOf, EMPTY_DRAFT } from "./rendering.ts";
import type { SummarySource } from "./summary_policy.ts";

/** The conditions for a summary. */
interface SummaryLimits {
  /** The number of turns that the window leaves out. */
  readonly omittedTurns: number;
  readonly hasReserve: boolean;
  /** Whether the summary may cover only the oldest of them. */
  readonly takesPrefix: boolean;
  /** Whether the summary is quoted as JSON. */
  readonly quotes: boolean;
  /** Whether the request with this block fits the reserve and the allowance. */
  fits(draft: Draft): boolean;
}

/** The outcome of SUMMARIZE. */
export interface ChosenSummary {
  readonly draft: Draft;
  readonly reason: LayerReason;
  readonly isUsed: boolean;
  /** The number of oldest turns that the summary covers; 0 if none is used. */
  readonly coveredTurns: number;
}

/** Chooses the summary; calls the source at most once. */
export async function chooseSummary(
  source: SummarySource | null,
  limits: SummaryLimits,
): Promise<ChosenSummary> {
  if (limits.omittedTurns === 0) return unused("no_old_history");
  if (source === null) return unused("summary_disabled");
  if (!limits.hasReserve) return unused("zero_reserve");
  const found = await source.find(limits.omittedTurns);
  const isStale = found === null || (!limits.takesPrefix && found.coveredTurns < limits.omittedTurns);
  if (isStale) return unused("summary_unavailable_or_stale");
  if (found.summary.content === "") return unused("empty_summary");
  const draft = summaryDraft(found.summary, limits.quotes);
  if (!limits.fits(draft)) return unused("summary_over_budget");
  return { draft, reason: "summary_reused", isUsed: true, coveredTurns: found.coveredTurns };
}

function unused(reason: LayerReason): ChosenSummary {
  return { draft: EMPTY_DRAFT, reason, isUsed: false, coveredTurns: 0 };
}

/** Creates the block of a summary: its text, or JSON with the text and the last turn that it covers. */
function summaryDraft({ content, coveredTurnIds, sources }: Summary, quotes: boolean): Draft {
  if (!quotes) return draftOf(content, sources);
  return draftOf(canonicalJson({ text: content, through: coveredTurnIds.at(-1) ?? null }), sources);
}
