/**
 * The range of revisions and row ids that each generation of a lineage issues. A restore goes back in time and begins a
 * new generation, which must not issue a number that the store before it issued.
 */

import type { LastIds } from "./operation.ts";
import { IMPORTED_REVISIONS_MAX, REVISIONS_PER_GENERATION } from "../limits.ts";

/** Below every revision that a generation hands out. */
export function startOfRange(generation: number): number {
  return generation * REVISIONS_PER_GENERATION;
}

/** A revision of an earlier generation as the same place in the range of a later one. */
export function movedRevision(revision: number, generation: number): number {
  return startOfRange(generation) + revision % REVISIONS_PER_GENERATION;
}

/** Row ids from which a later generation goes on: above all that an earlier one may have given since its backup. */
export function movedIds({ scopes, turns, chunk_indexes }: LastIds, generation: number): LastIds {
  const start = startOfRange(generation);
  return {
    scopes: Math.max(scopes, start),
    turns: Math.max(turns, start),
    chunk_indexes: Math.max(chunk_indexes, start),
  };
}

/** Whether a revision from outside may be kept: in no later range, and in its own far enough from the end. */
export function mayBeKept(revision: number, generation: number): boolean {
  return revision < startOfRange(generation) + IMPORTED_REVISIONS_MAX;
}
