/** What the calls on records that set a lifetime take. */

import type { Lifetime, RequiredLifetime } from "./lifetime.ts";

/** The lifetime that a call takes: built-in kinds require one; of other kinds a record without one never expires. */
export type KindLifetime<Kind extends string> = Kind extends "checkpoint" | "fact" ? RequiredLifetime
  : Lifetime;

/**
 * What `put` takes besides identity and value. The record stops being seen when its lifetime ends. It must be given for
 * checkpoints, facts and kinds with a `ttlMax`; of other kinds, a record that is put without one never expires. `expiresAt`
 * counts in whole seconds, rounded down.
 */
export type PutOptions<Kind extends string = string> = KindLifetime<Kind> & {
  /** The revision that must be there now, or null if nothing may be. */
  readonly expectedRevision: number | null;
  /** Seconds since the Unix epoch; the store's time if omitted. */
  readonly now?: number | undefined;
  /** Makes the call safe to repeat: for a day, the same id returns the first result. */
  readonly operationId?: string | undefined;
  /** Seconds from the record's creation that no later `put` can pass; a later one can only lower it. */
  readonly maxAge?: number | undefined;
  /**
   * The person whose data the record is, of at most 256 code points; set when the record is created. `memory.erase` finds
   * all sessions and records of a person by it. A record that is there keeps its subject: another one is refused.
   */
  readonly subject?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
};

/** What `update` takes besides identity and change; a lifetime as `put`, where one that is omitted stays what it is. */
export type UpdateOptions<Kind extends string = string> = KindLifetime<Kind> & {
  /** How often it rereads and recomputes at most; 8 if omitted. */
  readonly attempts?: number | undefined;
  /** Withdraws the call between attempts and while it is queued. */
  readonly signal?: AbortSignal | undefined;
};
