/** The list of work files that a store remembers. */

/** A durable list of the paths of work files. */
export interface Works {
  /**
   * The store's directories; none in memory. Work files of restores are searched for there, as they are not listed.
   */
  readonly directories: readonly string[];
  /** Reads all paths, sorted. */
  list(): Promise<readonly string[]>;
  /** Adds a path, unless it is listed. */
  remember(path: string): Promise<void>;
  /** Removes a path if the condition holds while no other process can add one. */
  forget(path: string, condition: () => boolean): Promise<void>;
}
