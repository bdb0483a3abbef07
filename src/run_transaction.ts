/** Running the calls of a transaction, one after the other, in one member of a write group. */

import type { Appended, AppendedOrSkipped } from "./contracts/options/conversation_options.ts";
import { keyedHash, toHex } from "./canonical/keyed_hash.ts";
import { type AppendPlan, appendTurn } from "./conversations/append_turn.ts";
import { putPin, type PutPinPlan } from "./conversations/put_pin.ts";
import { putSummary, type PutSummaryPlan } from "./conversations/put_summary.ts";
import { type Operation, together, type WriteTransaction } from "./engine/operation.ts";
import { IntegrityError } from "./errors.ts";
import { RECORD_OPERATION_KEPT_MS } from "./limits.ts";
import { type PutPlan, putRecord } from "./records/put.ts";
import { ExpiryPending, type Place } from "./scopes/place.ts";
import {
  forgetOldOperations,
  type OperationKey,
  recallOperation,
  rememberOperation,
} from "./tables/operation_ids.ts";

/** A call, validated; `after` is the position of the call whose revision it expects, or null. */
export type PlannedCall =
  | { readonly verb: "append"; readonly plan: AppendPlan; readonly generation: number }
  | { readonly verb: "put"; readonly plan: PutPlan; readonly after: number | null }
  | { readonly verb: "putPin"; readonly plan: PutPinPlan; readonly after: number | null }
  | { readonly verb: "putSummary"; readonly plan: PutSummaryPlan };

type Result = number | Appended | AppendedOrSkipped;

interface TransactionPlan {
  readonly calls: readonly PlannedCall[];
  readonly operation: OperationKey | null;
  readonly hashKey: Uint8Array;
}

interface Reporting {
  /** Is called with a scope whose expired content must be erased first. */
  readonly onPending: (place: Place) => void;
  /** An error as one of the call at a position. */
  readonly describe: (position: number, error: unknown) => unknown;
}

/** Runs every call; returns the results in the order of the calls. */
export function* runTransaction(
  transaction: WriteTransaction,
  plan: TransactionPlan,
  { onPending, describe }: Reporting,
): Operation<readonly Result[]> {
  const recalled = yield* recallResults(transaction, plan);
  if (recalled !== null) return recalled;
  const results: Result[] = [];
  for (const [position, call] of plan.calls.entries()) {
    try {
      results.push(yield* runCall(transaction, call, results));
    } catch (error) {
      if (error instanceof ExpiryPending && call.verb !== "put") onPending(call.plan.place);
      throw describe(position, error);
    }
  }
  yield* rememberResults(transaction, plan, results);
  return results;
}

function* runCall(
  transaction: WriteTransaction,
  call: PlannedCall,
  results: readonly Result[],
): Operation<Result> {
  switch (call.verb) {
    case "append": {
      const { revision, turnId, skipped } = yield* appendTurn(transaction, call.plan, call.generation);
      return call.plan.skipsDuplicates
        ? { revision, turnId, skipped }
        : { revision, turnId: call.plan.turnId };
    }
    case "put":
      return yield* putRecord(transaction, expecting(call, results));
    case "putPin":
      return yield* putPin(transaction, expecting(call, results));
    case "putSummary":
      return yield* putSummary(transaction, call.plan);
  }
}

/** The plan of a call, with the revision that an earlier one made. */
function expecting<Plan extends object>(
  { plan, after }: { readonly plan: Plan; readonly after: number | null },
  results: readonly Result[],
): Plan {
  return after === null ? plan : { ...plan, expectedRevision: revisionOf(results[after]!) };
}

function revisionOf(result: Result): number {
  return typeof result === "number" ? result : result.revision;
}

// Each number of the results is remembered as an operation of its own, the first under the id that the caller gave.

function keyOf({ operation, hashKey }: TransactionPlan, index: number): OperationKey | null {
  if (operation === null || index === 0) return operation;
  const { scopeHash, operationHash } = operation;
  return {
    ...operation,
    operationHash: keyedHash(hashKey, ["result", toHex(scopeHash), toHex(operationHash), `${index}`]),
  };
}

function* rememberResults(
  transaction: WriteTransaction,
  plan: TransactionPlan,
  results: readonly Result[],
): Operation<void> {
  if (plan.operation === null) return;
  const numbers = plan.calls.flatMap((call, position) => numbersOf(call, results[position]!));
  const { scopeHash } = plan.operation;
  yield* together([
    forgetOldOperations(transaction, scopeHash, RECORD_OPERATION_KEPT_MS, numbers.length),
    ...numbers.map((number, index) => rememberOperation(transaction, keyOf(plan, index), number)),
  ]);
}

/** The results of the same transaction, run before; null if it was not. */
function* recallResults(
  transaction: WriteTransaction,
  plan: TransactionPlan,
): Operation<readonly Result[] | null> {
  const first = yield* recallOperation(transaction, plan.operation, RECORD_OPERATION_KEPT_MS);
  if (first === null) return null;
  const count = plan.calls.reduce((sum, call) => sum + countOf(call), 0);
  const rest = yield* together(
    Array.from({ length: count - 1 }, (_, index) => recallOperation(transaction, keyOf(plan, index + 1))),
  );
  const numbers = [first, ...rest].map((number) => {
    if (number !== null) return number;
    throw new IntegrityError("Cannot recall transaction: a part of its results is missing", {
      details: { table: "operations" },
    });
  });
  return plan.calls.map((call) => resultOf(call, numbers.splice(0, countOf(call))));
}

/** Which of the messages were stored, in words of so many bits. */
const WORD_BITS = 32;

/** How many numbers the result of a call is remembered as. */
function countOf(call: PlannedCall): number {
  if (call.verb !== "append" || !call.plan.skipsDuplicates) return 1;
  return 1 + Math.ceil(call.plan.messages.length / WORD_BITS);
}

function numbersOf(call: PlannedCall, result: Result): readonly number[] {
  const numbers: number[] = Array(countOf(call)).fill(0);
  numbers[0] = revisionOf(result);
  if (call.verb !== "append" || typeof result === "number" || !("skipped" in result)) return numbers;
  for (const [index, { messageId }] of call.plan.messages.entries()) {
    if (!result.skipped.includes(messageId)) {
      numbers[1 + Math.floor(index / WORD_BITS)]! += 2 ** (index % WORD_BITS);
    }
  }
  return numbers;
}

function resultOf(call: PlannedCall, [revision, ...words]: readonly number[]): Result {
  if (call.verb !== "append") return revision!;
  const { turnId, messages, skipsDuplicates } = call.plan;
  if (!skipsDuplicates) return { revision: revision!, turnId };
  const isKept = (index: number): boolean =>
    Math.floor(words[Math.floor(index / WORD_BITS)]! / 2 ** (index % WORD_BITS)) % 2 === 1;
  const skipped = messages.filter((_, index) => !isKept(index)).map(({ messageId }) => messageId);
  return { revision: revision!, turnId: skipped.length === messages.length ? null : turnId, skipped };
}
