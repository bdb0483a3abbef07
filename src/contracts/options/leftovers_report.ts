/** Files that backups, exports and restores left behind when they were killed. */

/** A file in the making that still lies under its working name. */
export interface Leftover {
  /** Where it lies. */
  readonly path: string;
  /**
   * `left`: no process holds it, and the next `backup` or `prune` removes it. `in-use`: a process is making it.
   * `out-of-reach`: its directory is missing or not permitted, or this system cannot tell whether a process holds it.
   */
  readonly state: "left" | "in-use" | "out-of-reach";
}

/** What became of files that killed backups, exports and restores of the store left behind. */
export interface SweptLeftovers {
  /** Paths of files that no process held, and that are gone now. */
  readonly removed: readonly string[];
  /** Files that could not be removed, or must not be. */
  readonly kept: readonly Leftover[];
}
