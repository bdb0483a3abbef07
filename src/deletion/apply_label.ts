/** Applies an event that says whose session it is. */

import { Damage } from "../engine/damage.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { readDescription, writeDescription } from "../tables/descriptions.ts";
import { readScopeUnchecked, setSubject, writeScope } from "../tables/scopes.ts";
import { nameOf } from "../tables/subjects.ts";

/** Labels the session that an event names. */
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
  const name = nameOf(hashKey, { tenant: row.tenant, subject, names: description.names });
  const names = name === null ? [] : [name];
  yield* writeDescription(transaction, row.id, { ...description, names });
}
