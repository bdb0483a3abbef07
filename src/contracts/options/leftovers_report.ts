/** Files that backups, exports and restores left behind when they were killed. */

/**
 * A file in the making that still lies under its working name.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Leftover, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const leftovers: readonly Leftover[] = (await memory.inspect()).leftovers;
 * assert.deepEqual(leftovers, []); // no backup of this store was killed
 * ```
 */
export interface Leftover {
  /** Where it lies. */
  readonly path: string;
  /**
   * `left`: no process holds it, and the next `backup` or `prune` removes it. `in-use`: a process is making it.
   * `out-of-reach`: its directory is missing or not permitted, or this system cannot tell whether a process holds it.
   */
  readonly state: "left" | "in-use" | "out-of-reach";
}

/**
 * What became of files that killed backups, exports and restores of the store left behind.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type SweptLeftovers } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const leftovers: SweptLeftovers = (await memory.prune()).leftovers;
 * assert.deepEqual(leftovers, { removed: [], kept: [] });
 * ```
 */
export interface SweptLeftovers {
  /** Paths of files that no process held, and that are gone now. */
  readonly removed: readonly string[];
  /** Files that could not be removed, or must not be. */
  readonly kept: readonly Leftover[];
}
