/** SUMMARIZE: a summary of what the window leaves out, as background. */

import { canonicalJson } from "../canonical/canonical_json.ts";
import type { Summary } from "../contracts/summary.ts";
import type { LayerReason } from "./diagnostics.ts";
import { type Draft, draftOf, EMPTY_DRAFT } from "./rendering.ts";
import type { SummarySource } from "./summary_policy.ts";

/** What a summary is chosen by. */
interface SummaryLimits {
  /** Turns that the window leaves out. */
  readonly omittedTurns: number;
  readonly hasReserve: boolean;
  /** Whether a summary of only the oldest of them will do. */
  readonly takesPrefix: boolean;
  /** Whether it is quoted as JSON. */
  readonly quotes: boolean;
  /** Whether the request with this block fits reserve and allowance. */
  fits(draft: Draft): boolean;
}

/** The outcome. */
export interface ChosenSummary {
  readonly draft: Draft;
  readonly reason: LayerReason;
  readonly isUsed: boolean;
  /** How many of the oldest turns the used summary stands for; 0 where none is used. */
  readonly coveredTurns: number;
}

/** Chooses the summary, asking the source at most once. */
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

/** The block of a summary: as data, with the last turn it covers; or its text as it is. */
function summaryDraft({ content, coveredTurnIds, sources }: Summary, quotes: boolean): Draft {
  if (!quotes) return draftOf(content, sources);
  return draftOf(canonicalJson({ text: content, through: coveredTurnIds.at(-1) ?? null }), sources);
}
