/**
 * The range of revisions that each generation of a lineage hands out. A restore goes back in time, and begins a
 * generation: what it hands out from then on, no store before it has.
 */

import { IMPORTED_REVISIONS_MAX, REVISIONS_PER_GENERATION } from "../limits.ts";

/** Below every revision that a generation hands out. */
export function startOfRange(generation: number): number {
  return generation * REVISIONS_PER_GENERATION;
}

/** A revision of an earlier generation as the same place in the range of a later one. */
export function movedRevision(revision: number, generation: number): number {
  return startOfRange(generation) + revision % REVISIONS_PER_GENERATION;
}

/** Whether a revision from outside may be kept: in no later range, and in its own far enough from the end. */
export function mayBeKept(revision: number, generation: number): boolean {
  return revision < startOfRange(generation) + IMPORTED_REVISIONS_MAX;
}
