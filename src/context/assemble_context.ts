/** Assembly of a context from a history in memory. */

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

/** Some fifty modules that a program without contexts would otherwise load at every start. */
const HISTORIES = new LateModule(() => import("./history_context.ts"));

/** What a context is assembled from. */
export interface AssembleContextInput {
  /** Whose conversation it is. */
  readonly scope: Scope;
  /** All turns, oldest first. Turn ids and message ids are unique. An open timestamp counts as `at`. */
  readonly history: readonly Turn[];
  /** What the user asks now: text, or a user's message that is not in the history. Not blank but under `reference`. */
  readonly question: string | Message;
  /** All pins of the scope; those active at `at` are carried. An open start counts as `at`. */
  readonly pins?: readonly Pin[];
  /** Tokens. */
  readonly budget?: Budget;
  /** The system text; not blank. */
  readonly system: string;
  /** The time of the assembly: RFC 3339 text with an offset, or a `Date`; now where it is absent. */
  readonly at?: string | Date;
  /** `"holdfast"` unless said otherwise. */
  readonly profile?: ProfileName;
  /** How tokens are counted. */
  readonly counting?: CountingOptions;
  /** How messages of the window are shortened. */
  readonly cap?: Cap;
  /** How evidence is found. */
  readonly retrieval?: Retrieval;
  /** Gives a summary of what the window leaves out. */
  readonly summaryPolicy?: SummaryPolicy | null;
  /** Whether a summary of only the oldest turns that are left out will do; as the profile says. */
  readonly summaryPrefix?: boolean;
  /** The tools that the request offers; names unique. */
  readonly tools?: readonly ToolDefinition[];
  /** Which layers run. */
  readonly options?: AssemblyOptions;
  /** The history's chunks, where they were made beforehand. */
  readonly chunkIndex?: ChunkIndex | null;
  /** Cancels between stages and in every loop. */
  readonly signal?: AbortSignal;
}

/**
 * Assembles a context that fits a token budget: the system text, the active pins, the newest turns, evidence retrieved
 * from the older ones, a summary, and the question. Equal input gives an equal context; nothing that is handed in is
 * changed.
 *
 * @throws {ContractError} naming the field that is wrong; arguments are validated before anything is counted
 * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE`, `LAYER_ALLOCATION` or `CAP_BUDGET`, with the counts
 * @throws {PolicyError} where the token counter or the summary policy throws, or gives something else than promised
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { assembleContext, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "t", sessionId: "s" };
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
