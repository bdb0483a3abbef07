/** PIN: reserves tokens for the required blocks first, and divides the rest among the other layers. */

import { canonicalJson } from "../canonical/canonical_json.ts";
import type { TimedPin } from "../contracts/pin.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import { BudgetError } from "../errors.ts";
import { type BudgetValues, fittingReserves, inputAllowance } from "./configuration.ts";
import type { TokenEstimate } from "./counting/estimate.ts";
import { type Draft, draftOf } from "./rendering.ts";

/** The division of the input allowance, in tokens. */
export interface BudgetPlan {
  /** The highest estimate that the request may have. */
  readonly inputAllowance: number;
  /** The estimate of the request with only the required blocks. */
  readonly required: TokenEstimate;
  /** The tokens for evidence. */
  readonly retrievalTokens: number;
  /** The tokens for a summary. */
  readonly summaryTokens: number;
  /** The tokens for the window: all that are left. */
  readonly windowTokens: number;
}

/** Creates the block of active pins, in the order of their keys. */
export function pinnedDraft(pins: readonly TimedPin[]): Draft {
  if (pins.length === 0) return draftOf("");
  const text = canonicalJson(pins.map(({ key, value }) => ({ key, value })), "pins");
  return draftOf(
    text,
    pins.flatMap((pin): readonly SourceRef[] => pin.source === undefined ? [] : [pin.source]),
  );
}

/**
 * Divides the input allowance among the layers.
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
      `The reserves take ${reservedTokens} tokens, but required context leaves only ${remaining}`,
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

/** Returns the error for a request whose required blocks alone are too large. */
export function requiredTooLarge(requiredTokens: number, allowance: number): BudgetError {
  const message = `Required context takes ${requiredTokens} tokens, but the input allowance is ${allowance}`;
  return new BudgetError("REQUIRED_CONTEXT_TOO_LARGE", message, {
    details: { requiredTokens, inputAllowance: allowance, overflowTokens: requiredTokens - allowance },
  });
}
