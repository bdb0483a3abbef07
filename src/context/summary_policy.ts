/** Where summaries come from: a caller's policy, validated; or a store, which validated when it took the summary in. */

import type { Instant } from "../canonical/time.ts";
import { instantOf } from "../canonical/time.ts";
import { hasMethod } from "../contracts/arguments.ts";
import type { Scope } from "../contracts/scope.ts";
import { matches, type Summary, toSummary } from "../contracts/summary.ts";
import { isTimed, type TimedTurn, type Turn } from "../contracts/turn.ts";
import { ContractError, MemoryError, PolicyError } from "../errors.ts";

/**
 * Gives summaries.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { assembleContext, summaryFromHistory, type SummaryPolicy, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "orchard", sessionId: "spring" };
 * const history = Array.from({ length: 40 }, (_, index) => {
 *   const messages = [{ messageId: `m-${index}`, role: "user", content: `Row ${index} was watered.` }] as const;
 *   return turn({ turnId: `t-${index}`, scope, messages, timestamp: "2026-03-01T09:00:00Z" });
 * });
 * const summaryPolicy: SummaryPolicy = {
 *   getSummary: (history, scope, at) =>
 *     summaryFromHistory({ scope, history, content: "Rows were watered.", policyVersion: "1", createdAt: at }),
 * };
 * const input = { scope, history, question: "Which row?", system: "Answer.", budget: { maxInputTokens: 600 } };
 * const { diagnostics } = await assembleContext({ ...input, summaryPolicy });
 * assert.equal(diagnostics.summaryUsed, true);
 * ```
 */
export interface SummaryPolicy {
  /**
   * A summary of these turns, or null. Called at most once for each assembly, with the turns that the window leaves out,
   * oldest first, and the time of the assembly as ISO text. A summary of anything else is not used.
   */
  getSummary(history: readonly Turn[], scope: Scope, at: string): Summary | null;
}

/** A policy that has one summary, and gives it for exactly the turns it covers. */
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
 * A policy that has one summary, and gives it for exactly the turns it covers, while it has not expired. Where
 * `summaryPrefix` is on, it is also used when it covers only the oldest of the turns that the window leaves out.
 *
 * @throws {ContractError} where it is no summary
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { frozenSummary, summaryFromHistory, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "t", sessionId: "s" };
 * const messages = [{ messageId: "m1", role: "user" as const, content: "The pump failed." }];
 * const history = [turn({ turnId: "t1", scope, messages, timestamp: "2026-05-01T00:00:00Z" })];
 * const createdAt = "2026-05-02T00:00:00Z";
 * const summary = summaryFromHistory({ scope, content: "A failure.", history, policyVersion: "1", createdAt });
 * assert.equal(frozenSummary(summary).getSummary(history, scope, "2026-05-03T00:00:00+00:00"), summary);
 * ```
 */
export function frozenSummary(summary: Summary): SummaryPolicy {
  return new FrozenSummary(toSummary(summary));
}

/** A summary that holds for the oldest turns of a history. */
export interface UsableSummary {
  readonly summary: Summary;
  /** How many of the oldest turns it covers; at least 1. */
  readonly coveredTurns: number;
}

/** Finds the summary of an assembly. */
export interface SummarySource {
  /** A summary of the oldest of the `omitted` turns that the window leaves out, or of all; null where there is none. */
  find(omitted: number): UsableSummary | null | Promise<UsableSummary | null>;
}

/** Validates what a caller handed in as a policy. */
export function requirePolicy(value: unknown): SummaryPolicy | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "object" && hasMethod(value, "getSummary")) {
    return value as SummaryPolicy;
  }
  throw new ContractError("summaryPolicy.getSummary", "Expected summaryPolicy.getSummary to be a function");
}

/** A policy over a history in memory. */
export class PolicySummaries implements SummarySource {
  readonly #policy: SummaryPolicy;
  readonly #history: readonly TimedTurn[];
  readonly #scope: Scope;
  readonly #at: Instant;

  /** Takes the policy, the whole history, oldest first, and the time of the assembly. */
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

  /** Asks the policy once, and proves what it gives. */
  find(omitted: number): UsableSummary | null {
    const summary = this.#policy instanceof FrozenSummary ? this.#policy.summary : this.#asked(omitted);
    const coveredTurns = summary?.coveredTurnIds.length ?? 0;
    if (summary === null || coveredTurns === 0 || coveredTurns > omitted) return null;
    const covered = this.#history.slice(0, coveredTurns);
    return matches(summary, covered, this.#scope, this.#at) ? { summary, coveredTurns } : null;
  }

  #asked(omitted: number): Summary | null {
    const old = Object.freeze(this.#history.slice(0, omitted));
    let given: unknown;
    try {
      given = this.#policy.getSummary(old, this.#scope, this.#at.text);
    } catch (error) {
      if (error instanceof MemoryError) throw error;
      throw new PolicyError("The summary policy threw", { cause: error });
    }
    return given === null ? null : validated(given);
  }
}

function validated(given: unknown): Summary {
  try {
    return toSummary(given);
  } catch (error) {
    throw new PolicyError("The summary policy gave something else than a summary or null", { cause: error });
  }
}
