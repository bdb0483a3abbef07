/**
 * The range of revisions and row ids that each generation of a lineage issues. A restore goes back in time and begins a
 * new generation, which must not issue a number that the store before it issued.
 */

import type { LastIds } from "./operation.ts";
import { IMPORTED_REVISIONS_MAX, REVISIONS_PER_GENERATION } from "../limits.ts";

/** The number below every one that a generation issues. */
export function startOfRange(generation: number): number {
  return generation * REVISIONS_PER_GENERATION;
}

/** Moves a revision of an earlier generation to the same place in the range of a later one. */
export function movedRevision(revision: number, generation: number): number {
  return startOfRange(generation) + revision % REVISIONS_PER_GENERATION;
}

/** Moves row ids to the range of a later generation, above every id that an earlier one issued since the backup. */
export function movedIds(ids: LastIds, generation: number): LastIds {
  const start = startOfRange(generation);
  return {
    scopes: Math.max(ids.scopes, start),
    turns: Math.max(ids.turns, start),
    chunk_indexes: Math.max(ids.chunk_indexes, start),
    journals: Math.max(ids.journals, start),
  };
}

/** Whether an imported revision may be kept: not in a later range, and far enough from the end of the current one. */
export function mayBeKept(revision: number, generation: number): boolean {
  return revision < startOfRange(generation) + IMPORTED_REVISIONS_MAX;
}
