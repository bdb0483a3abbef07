/** What harness records look like to callers: identities, checkpoints, facts, and what the calls take and give. */

import type { Json } from "../canonical/plain.ts";

/** What names a record. A label, not an authorization: derive the tenant from your own trusted session. */
export interface RecordIdentity<Kind extends string = string> {
  /** Whose record: `^[a-z][a-z0-9-]{0,31}$`, or any text of 1–256 code points for kinds with text identifiers. */
  readonly tenantId: string;
  /** `checkpoint`, `fact`, or the name of a kind handed to `openMemory`. */
  readonly kind: Kind;
  /** Which record, in the same format as the tenant. */
  readonly key: string;
}

/** Where one execution stopped. */
export interface Checkpoint {
  /** The version of this shape. */
  readonly schema: 1;
  /** 0, 1 or 2. */
  readonly step: number;
  /** At most 8 texts of 1–256 code points. */
  readonly items: readonly string[];
}

/** Something that later runs may consult. */
export interface Fact {
  /** The version of this shape. */
  readonly schema: 1;
  /** 1–256 code points. */
  readonly text: string;
  /** 1–256 code points. */
  readonly source: string;
  /** An annotation: no access grant, no truth, no permission to execute the text. */
  readonly reviewed: boolean;
}

/** The value a kind of record holds. */
export type RecordValue<Kind extends string> = Kind extends "checkpoint" ? Checkpoint
  : Kind extends "fact" ? Fact
  : Json;

/** The value that is put: plain JSON that fits its kind, in whatever type the caller has it. */
export type RecordInput<Kind extends string> = Kind extends "checkpoint" ? Checkpoint
  : Kind extends "fact" ? Fact
  : unknown;

/** A record as `get` returns it: a fresh copy. */
export interface StoredRecord<Value> {
  /** Compared by the next `put`; never handed out twice in one store. */
  readonly revision: number;
  /** Seconds since the Unix epoch at which it stops being seen; null where its kind sets no deadline. */
  readonly expires: number | null;
  /** What was put. */
  readonly value: Value;
}

/** What `get` takes besides the identity. */
export interface GetOptions {
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** What `forget` takes besides identity and expected revision. */
export interface ForgetOptions {
  /** Whether the identity may never be used again; then also an identity without a record is refused for ever. */
  readonly revoke?: boolean | undefined;
  /** Makes the call safe to repeat: for a day, the same id returns the first result. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `purge` takes besides the tenant. */
export interface PurgeOptions {
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `list` takes besides the tenant. */
export interface ListOptions {
  /** Only records of this kind. */
  readonly kind?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** Records in one page: 0 to 1 000; 100 if omitted. */
  readonly limit?: number | undefined;
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** One live record in a list, without its value. */
export interface RecordItem {
  /** The record's kind. */
  readonly kind: string;
  /** The record's key. */
  readonly key: string;
  /** Compared by the next `put`. */
  readonly revision: number;
  /** Seconds since the Unix epoch; null where its kind sets no deadline. */
  readonly expires: number | null;
}

/** One page of live records, by kind and key in code point order. */
export interface RecordPage {
  /** The records of this page. */
  readonly items: readonly RecordItem[];
  /** Hand it to the next call as `after`; null once there is no more. */
  readonly next: string | null;
}
