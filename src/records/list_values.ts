/** Reads records of one kind with their values: pages by key or by revision, and several keys at once. */

import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { IDENTIFIER_CODE_POINTS_MAX } from "../limits.ts";
import { type RawValue, SELECT_VALUE, toValue } from "../tables/records.ts";

/** A record's key and value as stored. */
export interface KeyedValue extends RawValue {
  readonly key: string;
}

/** Which records of a kind are listed. */
export interface ValueRange {
  readonly tenantId: string;
  readonly kind: string;
  /** Where the page begins: a key, or a revision for the newest first; null at the beginning. */
  readonly from: string | number | null;
  readonly order: "key" | "newest";
  readonly prefix: string;
  readonly limit: number;
  /** Seconds. */
  readonly now: number;
}

const SELECT_VALUES_BY_KEY = `SELECT revision, expires, version, body, value_checksum, key FROM records
  WHERE tenant = $1 AND kind = $2 AND key >= $3 AND key < $4 AND (expires IS NULL OR expires > $5)
  ORDER BY key LIMIT $6`;

const SELECT_NEWEST_VALUES = `SELECT revision, expires, version, body, value_checksum, key FROM records
  WHERE tenant = $1 AND kind = $2 AND revision <= $3 AND key >= $4 AND key < $5
  AND (expires IS NULL OR expires > $6) ORDER BY revision DESC LIMIT $7`;

/** Lists live records of a kind with their values. */
export function* listValues(
  transaction: ReadTransaction,
  { tenantId, kind, from, order, prefix, limit, now }: ValueRange,
): Operation<readonly KeyedValue[]> {
  const end = endOfPrefix(prefix);
  const rows = order === "key"
    ? yield* transaction.all(SELECT_VALUES_BY_KEY, tenantId, kind, from ?? prefix, end, now, limit)
    : yield* transaction.all(
      SELECT_NEWEST_VALUES,
      ...[tenantId, kind, from ?? Number.MAX_SAFE_INTEGER, prefix, end, now, limit],
    );
  return rows.map((row) => {
    const key = row[5] as string;
    return { key, ...toValue({ tenantId, kind, key }, row) };
  });
}

/** Reads records of a kind by their keys, expired ones included; null where there is no row. */
export function* readValues(
  transaction: ReadTransaction,
  { tenantId, kind }: Pick<ValueRange, "tenantId" | "kind">,
  keys: readonly string[],
): Operation<readonly (KeyedValue | null)[]> {
  const rows = yield* transaction.getEach(SELECT_VALUE, keys.map((key) => [tenantId, kind, key]));
  return rows.map((row, place) => {
    const key = keys[place]!;
    return row === undefined ? null : { key, ...toValue({ tenantId, kind, key }, row) };
  });
}

const LAST_CODE_POINT = 0x10ffff;

/** Greater than every key: no key is that long. */
const AFTER_EVERY_KEY = String.fromCodePoint(LAST_CODE_POINT).repeat(IDENTIFIER_CODE_POINTS_MAX + 1);

/** The least text, in code point order, that is greater than every key with a prefix. */
function endOfPrefix(prefix: string): string {
  const points = [...prefix];
  while (points.length > 0) {
    const last = points.pop()!.codePointAt(0)!;
    // What follows U+D7FF is U+E000: surrogates are no code points of their own in well-formed text.
    if (last < LAST_CODE_POINT) {
      return points.join("") + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
    }
  }
  return AFTER_EVERY_KEY;
}
