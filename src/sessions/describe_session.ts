/** Describing a session. A subject that is set later than the session is created is an event of the ledger. */

import { equalBytes } from "../canonical/keyed_hash.ts";
import type { Metadata } from "../contracts/message.ts";
import { hashOfSubject } from "../deletion/scope_hashes.ts";
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

/** Reads what is said of a session that is there. */
export function* readDescribed(transaction: ReadTransaction, place: Place): Operation<DescribedScope> {
  const row = yield* requireScope(transaction, place);
  return { row, description: yield* readDescription(transaction, row, NOTHING_SKIPPED) };
}

/** Changes what is said of a session; creates the scope if there is none. Neither its revision nor its cached responses change. */
export function* describeSession(
  transaction: WriteTransaction,
  { place, generation, changes }: {
    readonly place: Place;
    readonly generation: number;
    readonly changes: DescriptionChanges;
  },
): Operation<DescribedScope> {
  const subjectHash = typeof changes.subject === "string"
    ? hashOfSubject(place.hashKey, place.scope.tenantId, changes.subject)
    : null;
  const found = yield* readScope(transaction, place.scopeHash);
  const row = found ?? (yield* createScope(transaction, place, generation, subjectHash));
  const before = found === null ? NO_DESCRIPTION : yield* readDescription(transaction, row, NOTHING_SKIPPED);
  const { title = before.title, metadata = before.metadata, subject = before.subject } = changes;
  const description = { title, metadata, subject };
  if (found !== null && changes.subject !== undefined) yield* label(transaction, row, subjectHash);
  yield* writeDescription(transaction, row.id, description);
  return { row, description };
}

function* label(transaction: WriteTransaction, row: ScopeRow, subject: Uint8Array | null): Operation<void> {
  if (row.subject === null ? subject === null : subject !== null && equalBytes(row.subject, subject)) return;
  yield* setSubject(transaction, row, subject, transaction.deletions() + 1);
  yield* writeScope(transaction, row);
  transaction.record({
    kind: "subject",
    scopeHash: row.scopeHash,
    keyHash: row.scopeHash,
    reserved: false,
    floor: 0,
    counts: {},
    ...subject === null ? {} : { hashes: [subject] },
  });
}
