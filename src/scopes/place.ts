import { keyedHash, toHex } from "../canonical/keyed_hash.ts";
import { requireText } from "../contracts/arguments.ts";
import { OPERATION_ID_CODE_POINTS_MAX } from "../limits.ts";
import type { OperationKey } from "../tables/operation_ids.ts";
import type { Scope } from "../contracts/scope.ts";
import { scopeHashOf } from "../deletion/scope_hashes.ts";
import { StorageError } from "../errors.ts";

/** A scope with the hash by which the store finds it. */
export interface Place {
  readonly scope: Scope;
  readonly hashKey: Uint8Array;
  readonly scopeHash: Uint8Array;
}

/** The place of a scope. */
export function placeOf(hashKey: Uint8Array, scope: Scope): Place {
  return { scope, hashKey, scopeHash: scopeHashOf(hashKey, scope) };
}

/** What an operation id stands for: the id and a digest of its input, as keyed hashes. */
export function operationKey(place: Place, operationId: unknown, verb: string, input: string): OperationKey {
  const id = requireText("operationId", operationId, OPERATION_ID_CODE_POINTS_MAX);
  const { hashKey, scopeHash } = place;
  const scope = toHex(scopeHash);
  return {
    scopeHash,
    operationHash: keyedHash(hashKey, ["operation", scope, id]),
    inputHash: keyedHash(hashKey, ["input", scope, verb, input]),
  };
}

/**
 * Thrown when something in the scope has expired. Internal: the write is rolled back, another write erases what has
 * expired, and the first one runs again.
 */
export class ExpiryPending extends Error {}

const CAN_WAIT: ReadonlySet<string> = new Set(["BUSY", "FULL", "READONLY"]);

/**
 * Whether an error only prevented maintenance, such as erasing what has expired or noting that an index was used. A read
 * then goes on without it; also in a store that refuses writes because the outcome of an earlier one is unknown.
 */
export function canWait(error: unknown): boolean {
  return error instanceof StorageError && (CAN_WAIT.has(error.code) || error.details.refused === true);
}
