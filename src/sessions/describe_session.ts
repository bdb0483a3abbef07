/** Describing a session. A subject that is set later than the session is created is an event of the ledger. */

import type { Metadata } from "../contracts/message.ts";
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
import { hashOfSubject, isSameSubject, nameOf } from "../tables/subjects.ts";

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
  const own = namesFor(place, row, before.names);
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
  const now = { ...description, names: namesFor(place, row, description.names) };
  yield* writeDescription(transaction, row.id, now);
  const { scopeHash } = row;
  const event = {
    kind: "subject",
    scopeHash,
    keyHash: scopeHash,
    reserved: false,
    floor: 0,
    counts: {},
  } as const;
  transaction.record({ ...event, ...subject === null ? {} : { hashes: [subject] } });
  return { row, description: now };
}

/** The hash of a subject; null for none, undefined where nothing is said. */
function hashOf(
  { hashKey, scope: { tenantId } }: Place,
  subject: string | null | undefined,
): Uint8Array | null | undefined {
  return typeof subject === "string" ? hashOfSubject(hashKey, tenantId, subject) : subject;
}

/** Those of some names that are the person's whose session it is: one, or none. */
function namesFor(
  { hashKey }: Place,
  { tenant, subject }: ScopeRow,
  names: readonly string[],
): readonly string[] {
  const name = nameOf(hashKey, { tenant, subject, names });
  return name === null ? [] : [name];
}
