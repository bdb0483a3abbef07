/** The names of files in the making that a store remembers. */

/** The names that are remembered, durably. */
export interface Works {
  /** Where the store itself lies: there restores are looked for, which remember nothing. None for one in memory. */
  readonly directories: readonly string[];
  /** All of them, sorted. */
  list(): Promise<readonly string[]>;
  /** Adds a name, unless it is there. */
  remember(path: string): Promise<void>;
  /** Removes a name if the condition holds while nobody else can add one. */
  forget(path: string, condition: () => boolean): Promise<void>;
}
