/** The list of work files that a store remembers. */

/** A durable list of the paths of work files. */
export interface Works {
  /**
   * The store's directories, which are searched for work files of restores, as those are not listed; none in memory.
   */
  readonly directories: readonly string[];
  /** Reads all paths, sorted. */
  list(): Promise<readonly string[]>;
  /** Adds a path, unless it is listed. */
  remember(path: string): Promise<void>;
  /** Removes a path if the condition holds while no other process can add one. */
  forget(path: string, condition: () => boolean): Promise<void>;
}
