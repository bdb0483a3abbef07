/** Labels, which say whose data something is: the event in the ledger, and what it changes of a session. */

import { Damage } from "../engine/damage.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { readDescription, writeDescription } from "../tables/descriptions.ts";
import { readScopeUnchecked, setSubject, writeScope } from "../tables/scopes.ts";
import { namesOfSubject } from "../tables/subjects.ts";

/** Records whose a session or record is from now on; a session has its hash in both places. */
export function recordLabel(
  transaction: WriteTransaction,
  { scopeHash, keyHash }: Pick<RecordedEvent, "scopeHash" | "keyHash">,
  subject: Uint8Array | null,
): void {
  transaction.record({
    kind: "subject",
    ...{ scopeHash, keyHash, reserved: false, floor: 0, counts: {} },
    ...subject === null ? {} : { hashes: [subject] },
  });
}

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
  const names = namesOfSubject(hashKey, { ...row, names: description.names });
  yield* writeDescription(transaction, row.id, { ...description, names });
}
