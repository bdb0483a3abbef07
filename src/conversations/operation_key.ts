import { keyedHash, toHex } from "../canonical/keyed_hash.ts";
import { requireText } from "../contracts/arguments.ts";
import type { OperationKey } from "../tables/operation_ids.ts";
import { OPERATION_ID_CODE_POINTS_MAX } from "../limits.ts";
import type { Place } from "../scopes/place.ts";

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
