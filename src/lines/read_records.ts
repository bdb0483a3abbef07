/** Reads pages of live records for an export, as they are stored. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { EXPORT_ROWS_PER_PAGE } from "../limits.ts";
import { identityOf, requireRecord, SELECT_RECORDS_AFTER } from "../tables/record_rows.ts";
import { type Identity, isExpired, namesOf } from "../tables/records.ts";
import { lineSubjectOf, recordLine, recordOutline } from "./line.ts";

/** A page of lines, and the identity after which the next begins; null after the last. */
interface RecordLines {
  readonly lines: readonly string[];
  readonly after: Identity | null;
  /** The number of deletions applied when the page was read. */
  readonly applied: number;
}

/** Reads the live records after an identity, by tenant, kind and key. */
export function* readRecordLines(
  transaction: ReadTransaction,
  after: Identity,
  { nowSeconds, content, damage }: {
    readonly nowSeconds: number;
    readonly content: boolean;
    readonly damage: Damage;
  },
): Operation<RecordLines> {
  const { tenantId, kind, key } = after;
  const rows = yield* transaction.all(SELECT_RECORDS_AFTER, tenantId, kind, key, EXPORT_ROWS_PER_PAGE);
  const { applied, hashKey } = yield* transaction.facts();
  const lines: string[] = [];
  let last = after;
  for (const row of rows) {
    last = identityOf(row);
    const record = damage.read(() => requireRecord(row));
    if (record === undefined) continue;
    const { head, body } = record;
    if (isExpired(head.expires, nowSeconds)) continue;
    // A body is ASCII, so its length is its size.
    if (!content) lines.push(recordOutline(last, head, body.length));
    else {
      const owner = { tenant: last.tenantId, subject: head.subject, names: namesOf(head) };
      lines.push(recordLine(last, head, { whose: lineSubjectOf(hashKey, owner), body }));
    }
  }
  return { lines, after: rows.length < EXPORT_ROWS_PER_PAGE ? null : last, applied };
}
