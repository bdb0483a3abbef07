/** Detects whether a text ends with a question. */

/** A question mark of any script, followed by characters that may close a text. */
const ASKING = /[?？؟⁇⁈⁉][\s"'”’»)\]}*_\p{Extended_Pictographic}\ufe0f]*$/u;

/** Code units at the end of a text that are examined, with room for a few closing characters. */
const END_CODE_UNITS = 24;

/**
 * Whether a text ends with a question, so that the next message is likely to answer it. Only the last character counts.
 * Questions without a question mark are not recognized, and neither is a message that goes on after its question.
 */
export function endsAsking(text: string): boolean {
  return ASKING.test(text.slice(-END_CODE_UNITS));
}
