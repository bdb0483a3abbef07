/** A record's row, validated where it enters. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";

/** A record's identity, validated. */
export interface Identity {
  readonly tenantId: string;
  readonly kind: string;
  readonly key: string;
}

/** A row without its body. */
export interface RecordHead {
  readonly revision: number;
  /** Seconds: when the row was created. */
  readonly created: number;
  /** Seconds from creation that no deadline can pass; null if there is no such bound. */
  readonly maxAge: number | null;
  /** Seconds: when it stops being seen; null if it never does. */
  readonly expires: number | null;
  /** Over what a read gives; see {@linkcode valueChecksum}. */
  readonly valueChecksum: number;
}

/** What a read gives: a record without what only puts need. */
export interface RawValue {
  readonly revision: number;
  readonly expires: number | null;
  readonly body: string;
}

/** The columns of a head, in this order, then the checksum over identity and head. */
export function toHead(identity: Identity, row: Row): RecordHead {
  const head: RecordHead = {
    revision: row[0] as number,
    created: row[1] as number,
    maxAge: row[2] as number | null,
    expires: row[3] as number | null,
    valueChecksum: row[4] as number,
  };
  if (headChecksum(identity, head) !== row[5]) {
    throw damagedRecord("Cannot read record: its checksum does not match", identity);
  }
  return head;
}

/** The checksum over identity and head, whose part for the body is the other checksum: lists need not read bodies. */
function headChecksum(identity: Identity, head: RecordHead): number {
  const { tenantId, kind, key } = identity;
  const { revision, created, maxAge, expires, valueChecksum } = head;
  return checksumOf(tenantId, kind, key, revision, created, maxAge, expires, valueChecksum);
}

/** The columns that a read gives, in this order: revision, deadline, body, then the checksum over them. */
export function toValue(identity: Identity, row: Row): RawValue {
  const [revision, expires, body, checksum] = row as readonly [number, number | null, string, number];
  const value = { revision, expires, body };
  assertValue(identity, value, checksum);
  return value;
}

/** Requires the checksum over what a read gives. */
export function assertValue(identity: Identity, value: RawValue, checksum: unknown): void {
  if (typeof value.body === "string" && valueChecksum(identity, value) === checksum) return;
  throw damagedRecord("Cannot read record: the checksum of its value does not match", identity);
}

/** The error for a damaged record; it names the record by its labels. */
function damagedRecord(message: string, { tenantId, kind, key }: Identity): IntegrityError {
  return new IntegrityError(message, { details: { table: "records", tenantId, kind, key } });
}

/** The checksum over identity, revision, deadline and body: a read needs no other. */
export function valueChecksum(
  { tenantId, kind, key }: Identity,
  { revision, expires, body }: RawValue,
): number {
  return checksumOf(tenantId, kind, key, revision, expires, body);
}

/** The one rule of expiry: a record is seen until, and not at, its deadline. */
export function isExpired(expires: number | null, nowSeconds: number): boolean {
  return expires !== null && expires <= nowSeconds;
}
