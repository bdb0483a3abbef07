/** Applies an event that says whose session it is. */

import { toHex } from "../canonical/keyed_hash.ts";
import { Damage } from "../engine/damage.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { readDescription, writeDescription } from "../tables/descriptions.ts";
import { readScopeUnchecked, setSubject, writeScope } from "../tables/scopes.ts";
import { hashOfSubject } from "./scope_hashes.ts";

/** Labels the session that an event names. The person's name is known where the session had the same label before. */
export function* applyScopeLabel(
  transaction: WriteTransaction,
  { scopeHash, hashes, sequence }: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  const found = yield* readScopeUnchecked(transaction, scopeHash);
  if (found === null) return;
  const { row, isIntact } = found;
  const subject = hashes?.[0] ?? null;
  yield* setSubject(transaction, row, subject, sequence);
  // A damaged row is left as it is: a fresh checksum would hide the damage, and a refusal would stop every tenant.
  if (isIntact) yield* writeScope(transaction, row);
  const description = yield* readDescription(transaction, row, new Damage("skip"));
  if (description.subject === null) return;
  const known = hashOfSubject(hashKey, row.tenant, description.subject);
  if (subject !== null && toHex(known) === toHex(subject)) return;
  yield* writeDescription(transaction, row.id, { ...description, subject: null });
}
