/** The diagnostics of an assembly: ids, counts and reasons, never text. */

import type { SourceRef } from "../contracts/source_ref.ts";
import type { TokenEstimate } from "./counting/estimate.ts";
import type { BlockKind } from "./rendering.ts";

/** The layers, in the order in which they run. */
export type LayerName = "CAP" | "PIN" | "RETRIEVE" | "WINDOW" | "SUMMARIZE";

/**
 * The reason for the outcome of a layer.
 *
 * - CAP: `messages_capped`, `unchanged`, `layer_disabled`
 * - PIN: `required_context_reserved`
 * - RETRIEVE: `evidence_retrieved`, `evidence_over_budget` (found, but too large), `no_match`, `empty_query` (the question
 *   has no words to search for), `no_old_history` (the window shows everything), `zero_reserve`
 * - WINDOW: `recent_suffix_selected`, `empty_window`
 * - SUMMARIZE: `summary_reused`, `summary_over_budget`, `summary_unavailable_or_stale`, `empty_summary`,
 *   `summary_disabled` (none is looked up), `no_old_history`, `zero_reserve`
 */
export type LayerReason =
  | "messages_capped"
  | "unchanged"
  | "layer_disabled"
  | "required_context_reserved"
  | "evidence_retrieved"
  | "evidence_over_budget"
  | "no_match"
  | "empty_query"
  | "no_old_history"
  | "zero_reserve"
  | "recent_suffix_selected"
  | "empty_window"
  | "summary_reused"
  | "summary_over_budget"
  | "summary_unavailable_or_stale"
  | "empty_summary"
  | "summary_disabled";

/** The outcome of a layer. */
export interface LayerDiagnostic {
  /** The layer. */
  readonly layer: LayerName;
  /** The reason for the outcome. */
  readonly reason: LayerReason;
  /** The turns that the layer shortened, retrieved or selected. */
  readonly changedTurnIds: readonly string[];
  /** The tokens of the input texts; 0 for every layer but CAP. */
  readonly inputTextTokens: number;
  /** The tokens of the output texts. */
  readonly outputTextTokens: number;
}

/** The cost of a block. */
export interface BlockDiagnostic {
  /** The kind of block. */
  readonly kind: BlockKind;
  /** The tokens of the content alone. */
  readonly contentTokens: number;
  /** The tokens that the block adds to the estimate. With `baseRequestTokens` they add up to the whole estimate. */
  readonly inputDeltaTokens: number;
  /** The sources of the content. */
  readonly sources: readonly SourceRef[];
  /** Whether the request has a message for it. */
  readonly included: boolean;
}

/** A part that was removed because the finished request did not fit. */
export interface Drop {
  /** The block that it was removed from. */
  readonly kind: "summary" | "window" | "retrieved";
  /** The id of the turn or chunk; null for a summary. */
  readonly sourceId: string | null;
  /** The reason. */
  readonly reason: "final_request_over_budget";
}

/** The diagnostics of an assembly. */
export interface ContextDiagnostics {
  /** The highest estimate that the request may have. */
  readonly inputAllowance: number;
  /** The estimate of the request. */
  readonly estimate: TokenEstimate;
  /** `inputAllowance` less the estimate. */
  readonly remainingTokens: number;
  /** The estimate of a request without blocks and with an empty question. */
  readonly baseRequestTokens: number;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly BlockDiagnostic[];
  /** The window as planned, oldest first. */
  readonly plannedWindowTurnIds: readonly string[];
  /** The window as it is in the request, oldest first. */
  readonly keptTurnIds: readonly string[];
  /** The number of turns that the window leaves out. */
  readonly omittedTurnCount: number;
  /** The turns that the window leaves out, oldest first; absent if only a part of the history was read. */
  readonly omittedTurnIds?: readonly string[];
  /** The calls of the window that have no result, by id, oldest first; absent where there are none. */
  readonly interruptedCallIds?: readonly string[];
  /** The results that the window leaves out because it lacks their calls, by message id; absent where there are none. */
  readonly omittedResultIds?: readonly string[];
  /** The turns that evidence comes from, best first. */
  readonly retrievedTurnIds: readonly string[];
  /** The chunks of the evidence, best first. */
  readonly retrievedChunkIds: readonly string[];
  /** Whether the request has a summary. */
  readonly summaryUsed: boolean;
  /** The five layers, in the order in which they ran. */
  readonly layers: readonly LayerDiagnostic[];
  /** The parts that were removed at the end; normally none. */
  readonly drops: readonly Drop[];
  /** The digest of the whole history; absent if only a part was read. */
  readonly historyFingerprint?: string;
  /** The digest of the whole input; absent if only a part of the history was read. */
  readonly inputFingerprint?: string;
  /** The digest of the configuration. */
  readonly configFingerprint: string;
  /** The time at which pins, summaries and open times were evaluated: ISO text. */
  readonly evaluatedAt: string;
  /** The version of this module. */
  readonly packageVersion: string;
}
