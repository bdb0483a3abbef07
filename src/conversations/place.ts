import type { Scope } from "../contracts/scope.ts";
import { scopeHashOf } from "../deletion/hashes.ts";

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
export class UpkeepDue extends Error {}
