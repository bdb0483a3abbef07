/** What the calls of a conversation take and return. */

import type { Metadata } from "../message.ts";

/**
 * What `putTurn` takes besides the turn.
 */
export interface PutTurnOptions {
  /** Makes the call harmless to repeat: the same id gives the first answer again, other input with it is refused. */
  readonly operationId: string;
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** RFC 3339 text with an offset, or a `Date`: when the turn expires. Omitted it keeps what is there, null clears it. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `putPin` takes besides the pin.
 */
export interface PutPinOptions {
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `putSummary` takes besides snapshot and summary.
 */
export interface PutSummaryOptions {
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `append` takes besides the messages.
 */
export interface AppendOptions {
  /** Makes the call harmless to repeat; turn id and missing message ids then come from it. */
  readonly operationId?: string | undefined;
  /** RFC 3339 text with an offset, or a `Date`: when the turn expires; never if omitted or null. */
  readonly expiresAt?: string | Date | null | undefined;
  /** RFC 3339 text with an offset, or a `Date`: when the messages were said; the store's time if omitted. */
  readonly timestamp?: string | Date | undefined;
  /** Plain JSON of the caller's own for the turn: stored and returned, never indexed, never sent to a model. */
  readonly metadata?: Metadata | undefined;
  /**
   * What becomes of a message whose id is in the scope already, or was deleted with its turn: `"error"` (the default)
   * refuses the call, `"skip"` leaves the message out.
   */
  readonly onDuplicate?: "error" | "skip" | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `append` returns. */
export interface Appended {
  /** The scope's new revision. */
  readonly revision: number;
  /** The id of the turn it made. */
  readonly turnId: string;
}

/** What `append` returns with `onDuplicate: "skip"`. */
export interface AppendedOrSkipped {
  /** The scope's revision; the same as before if nothing was stored. */
  readonly revision: number;
  /** The id of the turn it made; null if every message was left out. */
  readonly turnId: string | null;
  /** The ids of the messages that were left out, in their order. */
  readonly skipped: readonly string[];
}

/**
 * What `cachePut` takes besides snapshot, key and payload.
 */
export interface CachePutOptions {
  /** Seconds for which the answer is kept: 1 to 86 400; 3 600 if omitted. */
  readonly ttl?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a call that takes nothing else takes.
 */
export interface CallOptions {
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}
