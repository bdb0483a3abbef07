/** What is cut out of a text. */

/** What is cut out of a text. */
export interface Elision {
  /** Where it begins, in code units. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** How many tokens it has. */
  readonly tokens: number;
}
