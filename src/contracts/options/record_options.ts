/** What the calls on records that set a lifetime take. */

import type { RequiredLifetime } from "./lifetime.ts";

/**
 * What `put` takes besides identity and value. The record stops being seen when its lifetime ends; null only for kinds
 * without a longest deadline. `expiresAt` counts in whole seconds, rounded down.
 */
export type PutOptions = RequiredLifetime & {
  /** The revision that must be there now, or null if nothing may be. */
  readonly expectedRevision: number | null;
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Makes the call safe to repeat: for a day, the same id returns the first result. */
  readonly operationId?: string | undefined;
  /** Seconds from the record's creation that no later `put` can pass; a later one can only lower it. */
  readonly maxAge?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
};

/** What `update` takes besides identity and change; a lifetime as `put`. */
export type UpdateOptions = RequiredLifetime & {
  /** How often it rereads and recomputes at most; 8 if omitted. */
  readonly attempts?: number | undefined;
  /** Withdraws the call between attempts and while it is queued. */
  readonly signal?: AbortSignal | undefined;
};
