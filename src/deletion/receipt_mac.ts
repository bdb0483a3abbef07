/** What ties a receipt to its subject and to the store: hashes that only who has the store's key can make. */

import { keyedHash, toHex } from "../canonical/keyed_hash.ts";
import type { Receipt, ReceiptTarget } from "../contracts/options/receipt.ts";
import type { Scope } from "../contracts/scope.ts";
import { nothingErased } from "./cascade.ts";
import { itemHashOf, scopeHashOf, tenantHash } from "./scope_hashes.ts";

type CountName = keyof Receipt["erased"];

const COUNT_NAMES = Object.keys(nothingErased()) as readonly CountName[];
const OWNED_COUNT_NAMES: readonly CountName[] = [...COUNT_NAMES, "sessions", "records"];

/** The names of a receipt's counts, in the order in which they are hashed. */
export function countNames(kind: Receipt["kind"]): readonly CountName[] {
  return kind === "erase" ? OWNED_COUNT_NAMES : COUNT_NAMES;
}

/** The hashes of what was deleted; without a key it is the whole scope. */
export function receiptTarget(
  hashKey: Uint8Array,
  { kind, scope, key }: {
    readonly kind: Exclude<Receipt["kind"], "erase">;
    readonly scope: Scope;
    readonly key?: string | undefined;
  },
): ReceiptTarget {
  const hashes = {
    tenantId: toHex(tenantHash(hashKey, scope.tenantId)),
    sessionId: toHex(scopeHashOf(hashKey, scope)),
  };
  if (kind === "scope" || key === undefined) return hashes;
  return { ...hashes, key: toHex(itemHashOf(hashKey, kind, scope, key)) };
}

/** The message authentication code over every other field of a receipt. */
export function receiptMac(hashKey: Uint8Array, receipt: Omit<Receipt, "mac">): string {
  const { lineage, sequence, head, kind, reserved, at, already, scrubbed, target, erased } = receipt;
  const told = [lineage, `${sequence}`, head, kind, `${reserved}`, at, `${already}`, `${scrubbed}`];
  const about = [target.tenantId, target.sessionId ?? "", target.key ?? target.subject ?? ""];
  const counts = countNames(kind).map((name) => `${erased[name]}`);
  return toHex(keyedHash(hashKey, ["receipt", ...told, ...about, ...counts]));
}
