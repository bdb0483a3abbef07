/** The keyed hashes that stand for records. */

import { keyedHash } from "../canonical/keyed_hash.ts";
import type { Identity } from "../tables/records.ts";

/** The hash of a record. */
export function recordHash(hashKey: Uint8Array, { tenantId, kind, key }: Identity): Uint8Array {
  return keyedHash(hashKey, ["record", tenantId, kind, key]);
}
