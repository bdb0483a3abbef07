/** The keyed hashes of tenants, scopes, turns and pins. */

import { keyedHash } from "../canonical/keyed_hash.ts";
import type { Scope } from "../contracts/scope.ts";

/** The hash of a tenant. */
export function tenantHash(hashKey: Uint8Array, tenant: string): Uint8Array {
  return keyedHash(hashKey, ["tenant", tenant]);
}

/** The hash of a scope. */
export function scopeHashOf(hashKey: Uint8Array, { tenantId, sessionId }: Scope): Uint8Array {
  return keyedHash(hashKey, ["scope", tenantId, sessionId]);
}

/** The hash of a turn, pin, journal or message of a scope. */
export function itemHashOf(
  hashKey: Uint8Array,
  kind: "turn" | "pin" | "journal" | "message",
  { tenantId, sessionId }: Scope,
  key: string,
): Uint8Array {
  return keyedHash(hashKey, [kind, tenantId, sessionId, key]);
}
