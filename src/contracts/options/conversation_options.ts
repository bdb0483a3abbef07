/** What the calls of a conversation take and return. */

import type { Metadata } from "../message.ts";

import type { Lifetime } from "./lifetime.ts";

/**
 * What `putTurn` takes besides the turn. Without a lifetime, a revision keeps the one that is there; null clears it.
 */
export interface PutTurnOptions extends Lifetime {
  /** Makes the call safe to repeat: the same id returns the first result; other input with it is refused. */
  readonly operationId: string;
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `putPin` takes besides the pin. A lifetime here is one for a pin that has no `expiresAt` of its own.
 */
export interface PutPinOptions extends Lifetime {
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `putSummary` takes besides snapshot and summary. A lifetime here is one for a summary that has no `expiresAt` of its
 * own.
 */
export interface PutSummaryOptions extends Lifetime {
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `append` takes besides the messages. Without a lifetime, the turn never expires.
 */
export interface AppendOptions extends Lifetime {
  /** Makes the call harmless to repeat; turn id and missing message ids then come from it. */
  readonly operationId?: string | undefined;
  /** RFC 3339 text with an offset, or a `Date`: when the messages were said; the store's time if omitted. */
  readonly timestamp?: string | Date | undefined;
  /** Plain JSON of the caller's own for the turn: stored and returned, never indexed, never sent to a model. */
  readonly metadata?: Metadata | undefined;
  /**
   * The person whose data the session is, of at most 256 code points; set where the call creates the session. One that is
   * there keeps its subject: another one is refused, and `describe` changes it.
   */
  readonly subject?: string | undefined;
  /**
   * What to do with a message whose id the scope already has, or whose id was deleted with its turn: `"error"` (the default)
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
 * What `cachePut` takes besides snapshot, key and payload. The answer is kept for an hour if no lifetime is given, and for a
 * day at most; null is refused.
 */
export interface CachePutOptions extends Lifetime {
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
