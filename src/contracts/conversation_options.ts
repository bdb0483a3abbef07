/** What the calls of a conversation take and give. */

/** What `putTurn` takes besides the turn. */
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

/** What `putPin` takes besides the pin. */
export interface PutPinOptions {
  /** The scope's revision. */
  readonly expectedRevision: number;
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `putSummary` takes besides snapshot and summary. */
export interface PutSummaryOptions {
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `append` takes besides the messages. */
export interface AppendOptions {
  /** Makes the call harmless to repeat; turn id and missing message ids then come from it. */
  readonly operationId?: string | undefined;
  /** RFC 3339 text with an offset, or a `Date`: when the turn expires; never if omitted or null. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `append` gives. */
export interface Appended {
  /** The scope's new revision. */
  readonly revision: number;
  /** The id of the turn it made. */
  readonly turnId: string;
}

/** What `turns` takes besides the snapshot. */
export interface TurnsOptions {
  /** Only the newest so many; still oldest first. */
  readonly last?: number | undefined;
  /** Only those after the turn with this id. */
  readonly after?: string | undefined;
  /** Cancels between two pages. */
  readonly signal?: AbortSignal | undefined;
}

/** What `replayPut` takes besides snapshot, key and payload. */
export interface ReplayPutOptions {
  /** Seconds for which the answer is kept: 1 to 86 400; 3 600 if omitted. */
  readonly ttlSeconds?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What a call that takes nothing else takes. */
export interface CallOptions {
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}
