import type { Scope } from "../contracts/scope.ts";
import { scopeHashOf } from "../deletion/scope_hashes.ts";
import { StorageError } from "../errors.ts";

/** A scope, and what stands for it in the store. */
export interface Place {
  readonly scope: Scope;
  readonly hashKey: Uint8Array;
  readonly scopeHash: Uint8Array;
}

/** The place of a scope. */
export function placeOf(hashKey: Uint8Array, scope: Scope): Place {
  return { scope, hashKey, scopeHash: scopeHashOf(hashKey, scope) };
}

/**
 * Something of the scope is due. Internal: the write is rolled back, upkeep runs as a write of its own, and the write
 * runs again.
 */
export class ExpiryPending extends Error {}

const CAN_WAIT: ReadonlySet<string> = new Set(["BUSY", "FULL", "READONLY"]);

/**
 * Whether an error kept something from being written that nobody waits for: upkeep, or the note of an index's use. A read
 * then answers without; also where nothing is written any more, since the outcome of an earlier write is unknown.
 */
export function canWait(error: unknown): boolean {
  return error instanceof StorageError && (CAN_WAIT.has(error.code) || error.details.refused === true);
}
