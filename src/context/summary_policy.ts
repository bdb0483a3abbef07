/** The sources of summaries: a caller's policy, whose results are validated, or a store. */

import type { Instant } from "../canonical/time.ts";
import { instantOf } from "../canonical/time.ts";
import { hasMethod } from "../contracts/arguments.ts";
import type { Scope } from "../contracts/scope.ts";
import { matches, type Summary, toSummary } from "../contracts/summary.ts";
import { isTimed, type TimedTurn, type Turn } from "../contracts/turn.ts";
import { ContractError, MemoryError, PolicyError } from "../errors.ts";

/**
 * Returns summaries for assemblies.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { assembleContext, summaryFromHistory, type SummaryPolicy, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "acme", sessionId: "review-118" };
 * const history = Array.from({ length: 40 }, (_, index) => {
 *   const messages = [{ messageId: `m-${index}`, role: "user", content: `File ${index} was reviewed.` }] as const;
 *   return turn({ turnId: `t-${index}`, scope, messages, timestamp: "2026-03-01T09:00:00Z" });
 * });
 * const summaryPolicy: SummaryPolicy = {
 *   getSummary: (history, scope, at) =>
 *     summaryFromHistory({ scope, history, content: "Files were reviewed.", policyVersion: "1", createdAt: at }),
 * };
 * const input = { scope, history, question: "Which file?", system: "Answer.", budget: { maxInputTokens: 600 } };
 * const { diagnostics } = await assembleContext({ ...input, summaryPolicy });
 * assert.equal(diagnostics.summaryUsed, true);
 * ```
 */
export interface SummaryPolicy {
  /**
   * Returns a summary of these turns, or null. It is called at most once for each assembly, with the turns that the window
   * leaves out, oldest first, and the time of the assembly as ISO text. A summary of other turns is not used.
   */
  getSummary(history: readonly Turn[], scope: Scope, at: string): Summary | null;
}

/** A policy that returns one summary, for exactly the turns that it covers. */
class FrozenSummary implements SummaryPolicy {
  readonly summary: Summary;

  constructor(summary: Summary) {
    this.summary = summary;
  }

  getSummary(history: readonly Turn[], scope: Scope, at: string): Summary | null {
    return history.every(isTimed) && matches(this.summary, history, scope, instantOf(at))
      ? this.summary
      : null;
  }
}

/**
 * Creates a policy that returns one summary for exactly the turns that it covers, until it expires. With `summaryPrefix`
 * it is also used if it covers only the oldest of the turns that the window leaves out.
 *
 * @throws {ContractError} if the summary is invalid
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { frozenSummary, summaryFromHistory, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "acme", sessionId: "ticket-4711" };
 * const messages = [{ messageId: "m1", role: "user" as const, content: "The export fails since Monday." }];
 * const history = [turn({ turnId: "t1", scope, messages, timestamp: "2026-05-01T00:00:00Z" })];
 * const createdAt = "2026-05-02T00:00:00Z";
 * const summary = summaryFromHistory({ scope, content: "A bug.", history, policyVersion: "1", createdAt });
 * assert.equal(frozenSummary(summary).getSummary(history, scope, "2026-05-03T00:00:00+00:00"), summary);
 * ```
 */
export function frozenSummary(summary: Summary): SummaryPolicy {
  return new FrozenSummary(toSummary(summary));
}

/** A summary that is valid for the oldest turns of a history. */
export interface UsableSummary {
  readonly summary: Summary;
  /** The number of oldest turns that it covers; at least 1. */
  readonly coveredTurns: number;
}

/** Finds the summary of an assembly. */
export interface SummarySource {
  /** Finds a summary of all or the oldest of the `omitted` turns. Resolves to null if there is none. */
  find(omitted: number): UsableSummary | null | Promise<UsableSummary | null>;
}

/** Validates a caller's policy; null if there is none. */
export function requirePolicy(value: unknown): SummaryPolicy | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "object" && hasMethod(value, "getSummary")) {
    return value as SummaryPolicy;
  }
  throw new ContractError("summaryPolicy.getSummary", "Expected summaryPolicy.getSummary to be a function");
}

/** Finds summaries with a policy, for a history in memory. */
export class PolicySummaries implements SummarySource {
  readonly #policy: SummaryPolicy;
  readonly #history: readonly TimedTurn[];
  readonly #scope: Scope;
  readonly #at: Instant;

  /** Creates a source from a policy, the whole history (oldest first) and the time of the assembly. */
  constructor(policy: SummaryPolicy, { history, scope, at }: {
    readonly history: readonly TimedTurn[];
    readonly scope: Scope;
    readonly at: Instant;
  }) {
    this.#policy = policy;
    this.#history = history;
    this.#scope = scope;
    this.#at = at;
  }

  /** Calls the policy once, and validates its result. */
  find(omitted: number): UsableSummary | null {
    const summary = this.#policy instanceof FrozenSummary ? this.#policy.summary : this.#callPolicy(omitted);
    const coveredTurns = summary?.coveredTurnIds.length ?? 0;
    if (summary === null || coveredTurns === 0 || coveredTurns > omitted) return null;
    const covered = this.#history.slice(0, coveredTurns);
    return matches(summary, covered, this.#scope, this.#at) ? { summary, coveredTurns } : null;
  }

  #callPolicy(omitted: number): Summary | null {
    const old = Object.freeze(this.#history.slice(0, omitted));
    let given: unknown;
    try {
      given = this.#policy.getSummary(old, this.#scope, this.#at.text);
    } catch (error) {
      if (error instanceof MemoryError) throw error;
      throw new PolicyError("The summary policy threw", { cause: error });
    }
    return given === null ? null : validateSummary(given);
  }
}

function validateSummary(given: unknown): Summary {
  try {
    return toSummary(given);
  } catch (error) {
    throw new PolicyError("Expected the summary policy to return a summary or null", { cause: error });
  }
}
