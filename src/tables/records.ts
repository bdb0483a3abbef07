/** A record's row, validated where it is read. */

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
  /** Checksum of identity, revision, deadline and body; see {@linkcode valueChecksum}. */
  readonly valueChecksum: number;
}

/** The part of a record that a read returns. */
export interface RawValue {
  readonly revision: number;
  readonly expires: number | null;
  readonly body: string;
}

/** Decodes the columns of a head, in this order, and the checksum of identity and head. */
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

/** Decodes the columns that a read returns, in this order: revision, deadline, body, and their checksum. */
export function toValue(identity: Identity, row: Row): RawValue {
  const [revision, expires, body, checksum] = row as readonly [number, number | null, string, number];
  const value = { revision, expires, body };
  assertValue(identity, value, checksum);
  return value;
}

/** Requires the checksum of identity, revision, deadline and body. */
export function assertValue(identity: Identity, value: RawValue, checksum: unknown): void {
  if (typeof value.body === "string" && valueChecksum(identity, value) === checksum) return;
  throw damagedRecord("Cannot read record: the checksum of its value does not match", identity);
}

/** Makes the error for a damaged record; its details name the record. */
function damagedRecord(message: string, { tenantId, kind, key }: Identity): IntegrityError {
  return new IntegrityError(message, { details: { table: "records", tenantId, kind, key } });
}

/** The checksum of identity, revision, deadline and body: a read needs no other. */
export function valueChecksum(
  { tenantId, kind, key }: Identity,
  { revision, expires, body }: RawValue,
): number {
  return checksumOf(tenantId, kind, key, revision, expires, body);
}

/** Whether a record has expired: it is visible until, and not at, its deadline. */
export function isExpired(expires: number | null, nowSeconds: number): boolean {
  return expires !== null && expires <= nowSeconds;
}
