/** The interface of token counters, and the validation of their results. */

import { isBlank } from "../../canonical/text.ts";
import { hasMethod, isRevoked } from "../../contracts/arguments.ts";
import { ContractError, PolicyError } from "../../errors.ts";

/**
 * Counts the tokens of texts, as some model would. The same text must always have the same count, and text that is put
 * before another text must not lower the count.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type TokenCounter } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "acme", sessionId: "deploy-42" });
 * await conversation.append([{ role: "user", content: "The rollout was paused in staging." }]);
 * const counter: TokenCounter = { name: "bytes", version: "1", countText: (text) => new Blob([text]).size };
 * const { context } = await conversation.assemble("When?", {}, { system: "Answer.", counting: { counter } });
 * assert.equal(context.diagnostics.estimate.tokenizerName, "bytes");
 * assert.equal(context.blocks.find(({ kind }) => kind === "system")?.tokens, 7);
 * ```
 */
export interface TokenCounter {
  /** The name of the encoding; part of estimates and of configuration fingerprints. */
  readonly name: string;
  /** The version of the counter. It must change if counts may change. */
  readonly version: string;
  /** Returns the tokens of a text: a whole number, 0 or more. */
  countText(text: string): number;
}

/**
 * Validates a caller's counter; counts nothing yet.
 *
 * @throws {ContractError} that names `field`, or its `name`, `version` or `countText`
 */
export function requireCounter(value: unknown, field: string): TokenCounter {
  if (typeof value !== "object" || value === null || isRevoked(value)) throw noCounter(field);
  const counter = value as TokenCounter;
  requireName(counter, "name", field);
  requireName(counter, "version", field);
  if (!hasMethod(counter, "countText")) {
    throw new ContractError(`${field}.countText`, `Expected ${field}.countText to be a function`);
  }
  return counter;
}

function noCounter(field: string, cause?: unknown): ContractError {
  return new ContractError(field, `Expected ${field} to be a token counter`, { cause });
}

function requireName(counter: TokenCounter, property: "name" | "version", field: string): void {
  let value: unknown;
  try {
    value = counter[property];
  } catch (cause) {
    throw noCounter(field, cause); // a getter, or the trap of a proxy
  }
  if (typeof value === "string" && value.isWellFormed() && !isBlank(value)) return;
  throw new ContractError(
    `${field}.${property}`,
    `Expected ${field}.${property} to be text that is not blank`,
  );
}

/**
 * Counts the tokens of a text.
 *
 * @throws {PolicyError} if the counter throws, or does not return a whole number of at least 0
 */
export function countTokens(counter: TokenCounter, text: string): number {
  let tokens: unknown;
  try {
    tokens = counter.countText(text);
  } catch (error) {
    throw new PolicyError("The token counter threw", { cause: error });
  }
  if (typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0) return tokens + 0;
  throw new PolicyError("Expected the token counter to return a whole number of at least 0");
}
