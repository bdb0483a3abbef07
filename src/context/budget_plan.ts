/** PIN: what must be there is reserved first, and what is left is parted among the layers. */

import { canonicalJson } from "../canonical/canonical_json.ts";
import type { TimedPin } from "../contracts/pin.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import { BudgetError } from "../errors.ts";
import { type BudgetValues, fittingReserves, inputAllowance } from "./configuration.ts";
import type { TokenEstimate } from "./counting/estimate.ts";
import { type Draft, draftOf } from "./rendering.ts";

/** How the allowance is parted. */
export interface BudgetPlan {
  /** What the request may be estimated at. */
  readonly inputAllowance: number;
  /** The request with what must be there alone. */
  readonly required: TokenEstimate;
  /** For evidence. */
  readonly retrievalTokens: number;
  /** For a summary. */
  readonly summaryTokens: number;
  /** For the window: the rest. */
  readonly windowTokens: number;
}

/** The block of active pins, in the order of their keys. */
export function pinnedDraft(pins: readonly TimedPin[]): Draft {
  if (pins.length === 0) return draftOf("");
  const text = canonicalJson(pins.map(({ key, value }) => ({ key, value })), "pins");
  return draftOf(
    text,
    pins.flatMap((pin): readonly SourceRef[] => pin.source === undefined ? [] : [pin.source]),
  );
}

/**
 * Parts the allowance.
 *
 * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE` or `LAYER_ALLOCATION`, with the counts
 */
export function planBudget(budget: BudgetValues, required: TokenEstimate): BudgetPlan {
  const allowance = inputAllowance(budget);
  const remaining = allowance - required.estimatedTokens;
  if (remaining < 0) throw requiredTooLarge(required.estimatedTokens, allowance);
  const { retrievalReserve, summaryReserve } = fittingReserves(budget, remaining);
  const reservedTokens = retrievalReserve + summaryReserve;
  if (reservedTokens > remaining) {
    throw new BudgetError(
      "LAYER_ALLOCATION",
      `The reserves of ${reservedTokens} tokens exceed the ${remaining} that required context leaves`,
      {
        details: { availableTokens: remaining, reservedTokens },
      },
    );
  }
  return Object.freeze({
    inputAllowance: allowance,
    required,
    retrievalTokens: retrievalReserve,
    summaryTokens: summaryReserve,
    windowTokens: remaining - reservedTokens,
  });
}

/** The error for a request that is too large without anything that could be left out. */
export function requiredTooLarge(requiredTokens: number, allowance: number): BudgetError {
  const message = `Required context of ${requiredTokens} tokens exceeds the input allowance of ${allowance}`;
  return new BudgetError("REQUIRED_CONTEXT_TOO_LARGE", message, {
    details: { requiredTokens, inputAllowance: allowance, overflowTokens: requiredTokens - allowance },
  });
}
