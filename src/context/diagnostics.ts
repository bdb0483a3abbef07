/** What an assembly tells about itself: ids, counts and reasons, never text. */

import type { SourceRef } from "../contracts/source_ref.ts";
import type { TokenEstimate } from "./counting/estimate.ts";
import type { BlockKind } from "./rendering.ts";

/**
 * The layers, in the order in which they run.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type LayerName, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await conversation.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const ran: readonly LayerName[] = context.diagnostics.layers.map(({ layer }) => layer);
 * assert.deepEqual(ran, ["CAP", "PIN", "RETRIEVE", "WINDOW", "SUMMARIZE"]);
 * ```
 */
export type LayerName = "CAP" | "PIN" | "RETRIEVE" | "WINDOW" | "SUMMARIZE";

/**
 * Why a layer came to what it did.
 *
 * - CAP: `messages_capped`, `unchanged`, `layer_disabled`
 * - PIN: `required_context_reserved`
 * - RETRIEVE: `evidence_retrieved`, `evidence_over_budget` (found, and too large), `no_match`, `empty_query` (the question
 *   has no words to search), `no_old_history` (the window shows everything), `zero_reserve`
 * - WINDOW: `recent_suffix_selected`, `empty_window`
 * - SUMMARIZE: `summary_reused`, `summary_over_budget`, `summary_unavailable_or_stale`, `empty_summary`,
 *   `summary_disabled` (none is looked for), `no_old_history`, `zero_reserve`
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type LayerReason, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await conversation.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const reasons: readonly LayerReason[] = context.diagnostics.layers.map(({ reason }) => reason);
 * assert.deepEqual(reasons.slice(2, 4), ["no_old_history", "recent_suffix_selected"]);
 * ```
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

/**
 * What a layer did.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type LayerDiagnostic, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await conversation.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const window: LayerDiagnostic | undefined = context.diagnostics.layers.find(({ layer }) => layer === "WINDOW");
 * assert.equal(window?.reason, "recent_suffix_selected");
 * assert.equal(window?.changedTurnIds.length, 1);
 * ```
 */
export interface LayerDiagnostic {
  /** The layer. */
  readonly layer: LayerName;
  /** Why it came to what it did. */
  readonly reason: LayerReason;
  /** The turns it concerns. */
  readonly changedTurnIds: readonly string[];
  /** Tokens of texts that went in; 0 where that means nothing. */
  readonly inputTextTokens: number;
  /** Tokens of the texts that came out. */
  readonly outputTextTokens: number;
}

/**
 * What a block costs.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type BlockDiagnostic, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await conversation.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const { baseRequestTokens, estimate } = context.diagnostics;
 * const blocks: readonly BlockDiagnostic[] = context.diagnostics.blocks;
 * const added = blocks.reduce((sum, { inputDeltaTokens }) => sum + inputDeltaTokens, 0);
 * assert.equal(baseRequestTokens + added, estimate.estimatedTokens);
 * ```
 */
export interface BlockDiagnostic {
  /** What it is. */
  readonly kind: BlockKind;
  /** Tokens of its content alone. */
  readonly contentTokens: number;
  /** What it adds to the estimate. With `baseRequestTokens` these make the estimate of the whole. */
  readonly inputDeltaTokens: number;
  /** Where it was taken from. */
  readonly sources: readonly SourceRef[];
  /** Whether the request has a message for it. */
  readonly included: boolean;
}

/**
 * Something that was taken out again, because the finished request did not fit.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Drop, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await conversation.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const drops: readonly Drop[] = context.diagnostics.drops;
 * assert.deepEqual(drops, []); // what was planned did fit
 * ```
 */
export interface Drop {
  /** What it was taken from. */
  readonly kind: "summary" | "window" | "retrieved";
  /** The turn or chunk; null for a summary. */
  readonly sourceId: string | null;
  /** Why. */
  readonly reason: "final_request_over_budget";
}

/**
 * What an assembly tells about itself.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ContextDiagnostics, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await conversation.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const { inputAllowance, estimate, remainingTokens }: ContextDiagnostics = context.diagnostics;
 * assert.equal(remainingTokens, inputAllowance - estimate.estimatedTokens);
 * ```
 */
export interface ContextDiagnostics {
  /** What the request may be estimated at. */
  readonly inputAllowance: number;
  /** What the request is estimated at. */
  readonly estimate: TokenEstimate;
  /** `inputAllowance` less the estimate. */
  readonly remainingTokens: number;
  /** The estimate of a request without blocks, its question empty. */
  readonly baseRequestTokens: number;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly BlockDiagnostic[];
  /** The window as planned, oldest first. */
  readonly plannedWindowTurnIds: readonly string[];
  /** The window as it is in the request, oldest first. */
  readonly keptTurnIds: readonly string[];
  /** How many turns the window leaves out. */
  readonly omittedTurnCount: number;
  /** The turns that the window leaves out, oldest first; absent where only a part of the history was read. */
  readonly omittedTurnIds?: readonly string[];
  /** The calls of the window that have no result, by id, oldest first; absent where there are none. */
  readonly interruptedCallIds?: readonly string[];
  /** The results that the window leaves out because it lacks their calls, by message id; absent where there are none. */
  readonly omittedResultIds?: readonly string[];
  /** The turns that evidence comes from, best first. */
  readonly retrievedTurnIds: readonly string[];
  /** The chunks of the evidence, best first. */
  readonly retrievedChunkIds: readonly string[];
  /** Whether the request holds a summary. */
  readonly summaryUsed: boolean;
  /** The five layers, in the order in which they ran. */
  readonly layers: readonly LayerDiagnostic[];
  /** What was taken out at the end; normally nothing. */
  readonly drops: readonly Drop[];
  /** The digest of the whole history; absent where only a part was read. */
  readonly historyFingerprint?: string;
  /** The digest of everything that went in; absent where only a part of the history was read. */
  readonly inputFingerprint?: string;
  /** The digest of the configuration. */
  readonly configFingerprint: string;
  /** The time that pins, summaries and open times were taken at: ISO text. */
  readonly evaluatedAt: string;
  /** The version of this module. */
  readonly packageVersion: string;
}
