/** What a search leaves out by time and speaker. Statistics are of everything, so that a filter changes no score. */

import type { Role } from "../contracts/message.ts";

/** The filter of a search; a bound that is null leaves nothing out. */
export interface SearchFilter {
  /** Turns of this time and later ones, in milliseconds since the Unix epoch. */
  readonly afterMs: number | null;
  /** Turns before this time, in milliseconds since the Unix epoch. */
  readonly beforeMs: number | null;
  readonly roles: ReadonlySet<Role> | null;
}

/** Leaves nothing out. */
export const NO_FILTER: SearchFilter = { afterMs: null, beforeMs: null, roles: null };

/** Whether a filter lets a chunk through: of a turn of this time, of what this role says. */
export function isWanted({ afterMs, beforeMs, roles }: SearchFilter, atMs: number, role: Role): boolean {
  return (afterMs === null || atMs >= afterMs) && (beforeMs === null || atMs < beforeMs) &&
    (roles === null || roles.has(role));
}
