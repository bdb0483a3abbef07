/** The keyed hash that names a record in the ledger. */

import { keyedHash } from "../canonical/keyed_hash.ts";
import type { Identity } from "../tables/records.ts";

/** The keyed hash of a record's identity. */
export function recordHash(hashKey: Uint8Array, { tenantId, kind, key }: Identity): Uint8Array {
  return keyedHash(hashKey, ["record", tenantId, kind, key]);
}
