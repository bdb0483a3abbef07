/** One deliberate break of the source, and the test that must notice it. */

/** A break, as data. */
export interface Mutant {
  /** The guarantee that is broken. */
  readonly name: string;
  /** The file, from the root. */
  readonly file: string;
  /** The exact text, found once in the file. */
  readonly find: string;
  /** What stands there instead. */
  readonly replace: string;
  /** The test file that must fail by an assertion, from the root. */
  readonly test: string;
  /** Part of the name of the test in it that must notice. */
  readonly promise: string;
  /** Why this would be bad. */
  readonly why: string;
}
