/** Assembles a context from a history in memory. */

import type { Message } from "../contracts/message.ts";
import type { Pin } from "../contracts/pin.ts";
import type { Scope } from "../contracts/scope.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import type { Turn } from "../contracts/turn.ts";
import { LateModule, validateLate } from "../contracts/late_module.ts";
import type { ChunkIndex } from "../index/chunk_index.ts";
import type { AssembledContext } from "./assembled_context.ts";
import type { AssemblyOptions, Budget, Cap, CountingOptions, Retrieval } from "./configuration.ts";
import type { ProfileName } from "./profile.ts";
import type { SummaryPolicy } from "./summary_policy.ts";

/** Some fifty modules, loaded on first use to keep start-up short. */
const HISTORIES = new LateModule(() => import("./history_context.ts"));

/** The input of `assembleContext`. */
export interface AssembleContextInput {
  /** The tenant and the session of the conversation. */
  readonly scope: Scope;
  /** All turns, oldest first. Turn ids and message ids are unique. An open timestamp counts as `at`. */
  readonly history: readonly Turn[];
  /** The user's question: text, or a user message that is not in the history. Blank only under `"reference"`. */
  readonly question: string | Message;
  /** All pins of the conversation; the context has those that are active at `at`. An open start counts as `at`. */
  readonly pins?: readonly Pin[];
  /** The token budget. */
  readonly budget?: Budget;
  /** The system text; not blank. */
  readonly system: string;
  /** The time of the assembly: RFC 3339 text with an offset, or a `Date`. Default: now. */
  readonly at?: string | Date;
  /** The profile. Default: `"holdfast"`. */
  readonly profile?: ProfileName;
  /** How tokens are counted. */
  readonly counting?: CountingOptions;
  /** How messages of the window are shortened. */
  readonly cap?: Cap;
  /** How evidence is found. */
  readonly retrieval?: Retrieval;
  /** Returns a summary of the turns that the window leaves out. */
  readonly summaryPolicy?: SummaryPolicy | null;
  /** Whether a summary may cover only the oldest of those turns. Default: true, but false under `"reference"`. */
  readonly summaryPrefix?: boolean;
  /** The tools that the request offers; names unique. */
  readonly tools?: readonly ToolDefinition[];
  /** Which layers run. */
  readonly options?: AssemblyOptions;
  /** The chunks of the history, if they exist already. */
  readonly chunkIndex?: ChunkIndex | null;
  /** Cancels between stages and in every loop. */
  readonly signal?: AbortSignal;
}

/**
 * Assembles a context that fits a token budget. It has the system text, the active pins, the newest turns, evidence
 * retrieved from the older ones, a summary, and the question. Equal input results in an equal context. The input is not
 * changed.
 *
 * @throws {ContractError} that names the invalid field; the input is validated before anything is counted
 * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE`, `LAYER_ALLOCATION` or `CAP_BUDGET`, with the counts
 * @throws {PolicyError} if the token counter or the summary policy throws, or returns an invalid value
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { assembleContext, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "acme", sessionId: "incident-19" };
 * const messages = [{ messageId: "m1", role: "user" as const, content: "Shard 19 failed over at noon." }];
 * const history = [turn({ turnId: "t1", scope, messages, timestamp: "2026-05-01T12:00:00Z" })];
 * const { request, diagnostics } = await assembleContext({
 *   scope,
 *   history,
 *   question: "Which shard failed?",
 *   system: "Answer from the data.",
 *   budget: { maxInputTokens: 900 },
 * });
 * assert.equal(request.messages.at(-1)?.content, "Which shard failed?");
 * assert.deepEqual(diagnostics.keptTurnIds, ["t1"]);
 * assert.ok(diagnostics.estimate.estimatedTokens <= 900);
 * ```
 */
export async function assembleContext(input: AssembleContextInput): Promise<AssembledContext> {
  const validated = await validateLate(
    HISTORIES,
    [input],
    ({ validateInput }, given) => validateInput(...given),
  );
  return await HISTORIES.module.assembleHistory(validated);
}
