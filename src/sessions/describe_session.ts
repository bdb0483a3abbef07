/** Describing a session. A subject that is set later than the session is created is an event of the ledger. */

import type { Metadata } from "../contracts/message.ts";
import { recordLabel } from "../deletion/apply_label.ts";
import { NOTHING_SKIPPED } from "../engine/damage.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { createScope } from "../scopes/ensure_scope.ts";
import type { Place } from "../scopes/place.ts";
import { requireScope } from "../scopes/present_scope.ts";
import {
  type Description,
  NO_DESCRIPTION,
  readDescription,
  writeDescription,
} from "../tables/descriptions.ts";
import { readScope, type ScopeRow, setSubject, writeScope } from "../tables/scopes.ts";
import { hashOfSubjectOrNull, isSameSubject, namesOfSubject } from "../tables/subjects.ts";

/** Changes of what is said; a field that is undefined stays as it is. */
export interface DescriptionChanges {
  readonly title?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  readonly subject?: string | null | undefined;
}

/** A session and what is said of it. */
interface DescribedScope {
  readonly row: ScopeRow;
  readonly description: Description;
}

/** What is changed of which session. */
interface DescribePlan {
  readonly place: Place;
  readonly generation: number;
  readonly changes: DescriptionChanges;
}

/** Reads what is said of a session that is there. */
export function* readDescribed(transaction: ReadTransaction, place: Place): Operation<DescribedScope> {
  const row = yield* requireScope(transaction, place);
  return { row, description: yield* readDescription(transaction, row, NOTHING_SKIPPED) };
}

/**
 * Changes what is said of a session; creates the scope if there is none. Neither its revision nor its cached responses
 * change. A session that is to become another person's gets the name here, besides the one that it has: the event, which
 * holds none, may outlive what is written with it.
 */
export function* describeSession(
  transaction: WriteTransaction,
  { place, generation, changes }: DescribePlan,
): Operation<DescribedScope & { readonly isOthers: boolean }> {
  const subject = hashOf(place, changes.subject);
  const found = yield* readScope(transaction, place.scopeHash);
  const row = found ?? (yield* createScope(transaction, place, generation, subject ?? null));
  const before = found === null ? NO_DESCRIPTION : yield* readDescription(transaction, row, NOTHING_SKIPPED);
  const isOthers = subject !== undefined && !isSameSubject(row.subject, subject);
  const { title = before.title, metadata = before.metadata } = changes;
  const own = namesOfSubject(place.hashKey, { ...row, names: before.names });
  const given = typeof changes.subject === "string" ? changes.subject : null;
  const names = given === null ? own : isOthers ? [...own, given] : [given];
  const description = { title, metadata, names };
  yield* writeDescription(transaction, row.id, description, before === NO_DESCRIPTION);
  return { row, description, isOthers };
}

/** Records whose session it is from now on. */
export function* labelSession(
  transaction: WriteTransaction,
  { place, changes }: DescribePlan,
): Operation<DescribedScope> {
  const { row, description } = yield* readDescribed(transaction, place);
  const subject = hashOf(place, changes.subject) ?? null;
  yield* setSubject(transaction, row, subject, transaction.deletions() + 1);
  yield* writeScope(transaction, row);
  const now = { ...description, names: namesOfSubject(place.hashKey, { ...row, names: description.names }) };
  yield* writeDescription(transaction, row.id, now);
  recordLabel(transaction, { scopeHash: row.scopeHash, keyHash: row.scopeHash }, subject);
  return { row, description: now };
}

/** The hash of a subject; null for none, undefined where nothing is said. */
function hashOf(
  { hashKey, scope: { tenantId } }: Place,
  subject: string | null | undefined,
): Uint8Array | null | undefined {
  return subject === undefined ? undefined : hashOfSubjectOrNull(hashKey, tenantId, subject);
}
