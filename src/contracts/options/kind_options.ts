/** What the calls on records of one kind take and return. */

import type { KindError } from "../../errors.ts";

/** What names a record of a kind: whose it is, and which. */
export interface RecordPlace {
  /** Whose record. A label, not an authorization: derive it from your own trusted session. */
  readonly tenantId: string;
  /** Which record, in the format that the kind sets: any text of 1–256 code points unless it is defined otherwise. */
  readonly key: string;
}

/** What a list of one kind takes besides the tenant. */
export interface ListValuesOptions {
  /** Only records whose key begins with this text. */
  readonly prefix?: string | undefined;
  /** `"key"`, the default: by key in code point order. `"newest"`: by revision, the last one written first. */
  readonly order?: "key" | "newest" | undefined;
  /** The `next` of the page before, in the same order. */
  readonly after?: string | undefined;
  /** Records in one page: 1 to 1 000; 100 if omitted. A page has fewer where the kind allows large values. */
  readonly limit?: number | undefined;
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** One record of a kind: its value, or why that does not fit the kind. */
export type ValueItem<Value> =
  & {
    /** The record's key. */
    readonly key: string;
    /** Compared by the next `put`. */
    readonly revision: number;
    /** Seconds since the Unix epoch at which it expires; null for never. */
    readonly expires: number | null;
  }
  & (
    | {
      /** A copy of the value, migrated to the version of the kind. */
      readonly value: Value;
      readonly error: null;
    }
    | {
      readonly value: null;
      /** Why the value does not fit; `get` throws the same. */
      readonly error: KindError;
    }
  );

/** One page of the records of a kind. */
export interface ValuePage<Value> {
  /** The records of this page. */
  readonly items: readonly ValueItem<Value>[];
  /** Pass it to the next call as `after`; null once there are no more. */
  readonly next: string | null;
}
