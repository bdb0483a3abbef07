/** Whether a text asks. */

/** Question marks of the scripts that have one of their own, with what may close a text behind them. */
const ASKING = /[?？؟⁇⁈⁉][\s"'”’»)\]}*_\p{Extended_Pictographic}\ufe0f]*$/u;

/** Code units at the end of a text that are looked at: room for a few closing signs. */
const END_CODE_UNITS = 24;

/**
 * Whether a text ends by asking: then the next message is likely to answer. Only by its last sign: languages that ask
 * by a word alone are not told from those that state, and a message that asks and then goes on is a statement too.
 */
export function endsAsking(text: string): boolean {
  return ASKING.test(text.slice(-END_CODE_UNITS));
}
