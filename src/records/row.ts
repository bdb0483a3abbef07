/** A record's row, judged where it enters. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Row } from "../engine/sqlite/driver.ts";
import { IntegrityError } from "../errors.ts";

/** A record's identity, judged. */
export interface Identity {
  readonly tenant: string;
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
  readonly bodyChecksum: number;
}

/** The columns of a head, in this order, then the checksum over identity and head. */
export function toHead(identity: Identity, row: Row): RecordHead {
  const head: RecordHead = {
    revision: row[0] as number,
    created: row[1] as number,
    maxAge: row[2] as number | null,
    expires: row[3] as number | null,
    bodyChecksum: row[4] as number,
  };
  if (headChecksum(identity, head) !== row[5]) {
    throw new IntegrityError("Cannot read record: its checksum does not match", {
      details: { table: "records" },
    });
  }
  return head;
}

/** The checksum over identity and head. The body has one of its own, so that lists need not read bodies. */
export function headChecksum(identity: Identity, head: RecordHead): number {
  const { tenant, kind, key } = identity;
  const { revision, created, maxAge, expires, bodyChecksum } = head;
  return checksumOf(tenant, kind, key, revision, created, maxAge, expires, bodyChecksum);
}

/** Requires a body's own checksum. */
export function assertBody(head: RecordHead, body: unknown): asserts body is string {
  if (typeof body === "string" && checksumOf(body) === head.bodyChecksum) return;
  throw new IntegrityError("Cannot read record: the checksum of its body does not match", {
    details: { table: "records" },
  });
}

/** The one rule of expiry: a record is seen until, and not at, its deadline. */
export function isExpired(expires: number | null, nowSeconds: number): boolean {
  return expires !== null && expires <= nowSeconds;
}
