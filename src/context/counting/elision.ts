/** The part that is cut out of a text. */

/** The part that is cut out of a text. */
export interface Elision {
  /** The offset of its first code unit. */
  readonly start: number;
  /** The offset after its last code unit. */
  readonly end: number;
  /** The number of its tokens. */
  readonly tokens: number;
}
