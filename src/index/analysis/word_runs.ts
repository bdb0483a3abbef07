/** Joins words that have a single separator between them: `shard-19`, `src/main.ts`. */

/** A run of words, as code unit offsets. */
interface WordRun {
  readonly start: number;
  readonly end: number;
}

/**
 * Yields the runs of words in a text, in order. A word is a match of `word` (global). Two words are joined if exactly
 * one code unit is between them and `isJoiner` accepts it. A single pattern for the whole run would overflow the stack
 * of the regular expression engine after some megabytes of `a-a-a-`.
 */
export function* wordRuns(
  text: string,
  word: RegExp,
  isJoiner: (sign: string) => boolean,
): Generator<WordRun, void, undefined> {
  let start = -1;
  let end = -1;
  for (const match of text.matchAll(word)) {
    const joins = start >= 0 && match.index === end + 1 && isJoiner(text.charAt(end));
    if (!joins) {
      if (start >= 0) yield { start, end };
      start = match.index;
    }
    end = match.index + match[0].length;
  }
  if (start >= 0) yield { start, end };
}
