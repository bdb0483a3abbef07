/** What callers say of a session, and what a list of sessions returns. */

import type { Damaged, DamagedRow } from "../damaged.ts";
import type { Metadata } from "../message.ts";

/** What `describe` changes: a field that is left out stays as it is, null removes it. */
export interface SessionChanges {
  /** A title for lists, of at most 1 000 code points. */
  readonly title?: string | null | undefined;
  /** Plain JSON of the caller's own, at most 16 384 bytes as stored; replaces what was there. */
  readonly metadata?: Metadata | null | undefined;
  /**
   * The person whose data the session is, as the caller names people: at most 256 code points. `memory.erase` finds all
   * sessions and records of a person by it.
   */
  readonly subject?: string | null | undefined;
}

/** A session as lists show it. */
export interface Session {
  /** The session within its tenant. */
  readonly sessionId: string;
  /** Null where it has none. */
  readonly title: string | null;
  /** Null where it has none. */
  readonly metadata: Metadata | null;
  /**
   * Null where it has none; also after a restore of a backup from before the subject was set, which knows its hash alone.
   */
  readonly subject: string | null;
  /** When it was created here, as ISO text. */
  readonly createdAt: string;
  /** When a turn, pin or journal entry was last written, as ISO text. */
  readonly updatedAt: string;
  /** The scope's revision. */
  readonly revision: number;
  /** How many turns it has; those that have expired count until they are erased. */
  readonly turns: number;
  /** Bytes of its turns, journals and media. */
  readonly bytes: number;
}

/** What `sessions` takes besides the tenant. */
export interface SessionsOptions {
  /** `"recent"`, the default: the session that was written to last comes first. `"id"`: by id in code point order. */
  readonly order?: "recent" | "id" | undefined;
  /** Only sessions of this person. */
  readonly subject?: string | undefined;
  /** The `next` of the page before, in the same order. */
  readonly after?: string | undefined;
  /** Sessions in one page: 1 to 500; 50 if omitted. */
  readonly limit?: number | undefined;
  /** What to do about damaged rows; `"error"` if omitted. */
  readonly damaged?: Damaged | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of a tenant's sessions. */
export interface SessionPage {
  /** The sessions of this page. */
  readonly items: readonly Session[];
  /** Pass it to the next call as `after`; null once there are no more. */
  readonly next: string | null;
  /** Damaged rows that were left out. Always empty without `damaged: "skip"`. */
  readonly skipped: readonly DamagedRow[];
}
