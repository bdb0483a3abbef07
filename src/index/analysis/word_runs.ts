/** Joins words that stand beside each other with one sign between them: `shard-19`, `src/main.ts`. */

/** One run of words, by code unit offsets. */
interface WordRun {
  readonly start: number;
  readonly end: number;
}

/**
 * The runs of words in a text, in order. A word is a match of `word` (global); two are joined where exactly one code
 * unit that `isJoiner` accepts lies between them. One pattern for a whole run would do the same, but the engine's
 * stack gives way in it after some megabytes of `a-a-a-`.
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
