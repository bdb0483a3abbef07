/** A record's row, validated where it is read; and its name in the ledger. */

import { checksumOf } from "../canonical/checksum.ts";
import { keyedHash } from "../canonical/keyed_hash.ts";
import type { Peeking } from "../engine/engine.ts";
import type { Operation } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";

/** A record's identity, validated. */
export interface Identity {
  readonly tenantId: string;
  readonly kind: string;
  readonly key: string;
}

/** The keyed hash that names a record in the ledger. */
export function recordHash(hashKey: Uint8Array, { tenantId, kind, key }: Identity): Uint8Array {
  return keyedHash(hashKey, ["record", tenantId, kind, key]);
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
  /** The version of its kind that the value was written with. */
  readonly version: number;
  /** How many deletions the ledger had when the row was created, or got its subject: a later erasure covers it. */
  readonly born: number;
  /** The hash of the person whose record it is; null if it has no subject. */
  readonly subject: Uint8Array | null;
  /** What the person may be called, as a list in JSON; null where no name is known. See `subjects.ts`. */
  readonly names: string | null;
  /** Checksum of identity, revision, deadline, version and body; see {@linkcode valueChecksum}. */
  readonly valueChecksum: number;
}

/** The part of a record that a read returns. */
export interface RawValue {
  readonly revision: number;
  readonly expires: number | null;
  readonly version: number;
  readonly body: string;
}

/** The columns of a head, and the checksum of identity and head. */
export const HEAD_COLUMNS =
  "revision, created, max_age, expires, version, born, subject, names, value_checksum, checksum";

/** Decodes a row that begins with {@linkcode HEAD_COLUMNS}. */
export function toHead(identity: Identity, row: Row): RecordHead {
  const head: RecordHead = {
    revision: row[0] as number,
    created: row[1] as number,
    maxAge: row[2] as number | null,
    expires: row[3] as number | null,
    version: row[4] as number,
    born: row[5] as number,
    subject: row[6] as Uint8Array | null,
    names: row[7] as string | null,
    valueChecksum: row[8] as number,
  };
  if (headChecksum(identity, head) !== row[9]) {
    throw damagedRecord("Cannot read record: its checksum does not match", identity);
  }
  return head;
}

/** The checksum over identity and head, whose part for the body is the other checksum: lists need not read bodies. */
export function headChecksum(identity: Identity, head: RecordHead): number {
  const { tenantId, kind, key } = identity;
  const { revision, created, maxAge, expires, version, born, subject, names, valueChecksum } = head;
  return checksumOf(
    ...[tenantId, kind, key, revision, created, maxAge, expires, version],
    ...[born, subject, names, valueChecksum],
  );
}

/** The columns that a read of one record returns. No others: each column costs as much as the work on it here. */
export const SELECT_VALUE = `SELECT revision, expires, version, body, value_checksum FROM records
  WHERE tenant = $1 AND kind = $2 AND key = $3`;

/** A record's revision, deadline, version and body, expired or not; null if there is no row. */
export function* readValue(transaction: Peeking, identity: Identity): Operation<RawValue | null> {
  const row = yield* transaction.get(SELECT_VALUE, identity.tenantId, identity.kind, identity.key);
  return row === undefined ? null : toValue(identity, row);
}

/** Decodes the columns that a read returns, in this order: revision, deadline, version, body, and their checksum. */
export function toValue(identity: Identity, row: Row): RawValue {
  const [revision, expires, version, body, checksum] = row as readonly [
    ...readonly [revision: number, expires: number | null, version: number],
    ...readonly [body: string, checksum: number],
  ];
  const value = { revision, expires, version, body };
  assertValue(identity, value, checksum);
  return value;
}

/** Requires the checksum of identity, revision, deadline, version and body. */
export function assertValue(identity: Identity, value: RawValue, checksum: unknown): void {
  if (typeof value.body === "string" && valueChecksum(identity, value) === checksum) return;
  throw damagedRecord("Cannot read record: the checksum of its value does not match", identity);
}

/** Makes the error for a damaged record; its details name the record. */
function damagedRecord(message: string, { tenantId, kind, key }: Identity): IntegrityError {
  return new IntegrityError(message, { details: { table: "records", tenantId, kind, key } });
}

/** The checksum of identity, revision, deadline, version and body: a read needs no other. */
export function valueChecksum(
  { tenantId, kind, key }: Identity,
  { revision, expires, version, body }: RawValue,
): number {
  return checksumOf(tenantId, kind, key, revision, expires, version, body);
}

/** Whether a record has expired: it is visible until, and not at, its deadline. */
export function isExpired(expires: number | null, nowSeconds: number): boolean {
  return expires !== null && expires <= nowSeconds;
}

/** Parameters: tenant, kind, key. */
export const DELETE_RECORD = `DELETE FROM records WHERE tenant = $1 AND kind = $2 AND key = $3`;

/** The next tenant that has records. Parameter: the one to begin after. */
export const SELECT_NEXT_TENANT = `SELECT tenant FROM records WHERE tenant > $1 ORDER BY tenant LIMIT 1`;

/** Names as a row holds them. */
export function encodeNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : JSON.stringify(names);
}

/** What the person whose record it is may be called. */
export function namesOf({ names }: Pick<RecordHead, "names">): readonly string[] {
  return names === null ? [] : JSON.parse(names) as readonly string[];
}
