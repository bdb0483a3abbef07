/** Finds where a text can be split with little or no change of its token count. */

/**
 * UTF-8 bytes of a chunk of a long run. Merging byte pairs takes quadratic time, so a long run is counted in chunks, each
 * of which may be off by one token. Ordinary words and sentences are shorter, and are counted exactly.
 */
const RUN_BYTES_MAX = 128;

/** Code points that are matched at a time. A run of some millions overflows the stack of the regular expression engine. */
const MATCH_MAX = 4_096;

let run: RegExp | null = null;

/**
 * Returns the pattern of runs within which byte pairs are merged. A run is letters with their marks, white space, or
 * anything else but digits. The pattern is compiled on first use, because that takes a thirtieth of the start-up time of
 * a program with the driver.
 */
function runPattern(): RegExp {
  run ??= new RegExp(
    String.raw`\p{L}[\p{L}\p{M}]{0,${MATCH_MAX - 1}}|\s{1,${MATCH_MAX}}|[^\s\p{L}\p{N}]{1,${MATCH_MAX}}`,
    "gu",
  );
  return run;
}

/** Returns the code unit offsets at which long runs are split, in order; usually none. */
export function runCuts(text: string): number[] {
  if (!mayHoldLongRun(text)) return [];
  const cuts: number[] = [];
  for (const match of text.matchAll(runPattern())) {
    const [found] = match;
    if (found.length * 3 > RUN_BYTES_MAX) addCuts(found, match.index, cuts);
    if (found.length >= MATCH_MAX) cuts.push(match.index + found.length);
  }
  return cuts;
}

function addCuts(run: string, offset: number, cuts: number[]): void {
  let bytes = 0;
  for (let unit = 0; unit < run.length;) {
    const code = run.codePointAt(unit) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes + size > RUN_BYTES_MAX) {
      cuts.push(offset + unit);
      bytes = 0;
    }
    bytes += size;
    unit += code > 0xffff ? 2 : 1;
  }
}

/**
 * Whether some run could be long. This scan of the code units is faster than the pattern above, and enough for nearly
 * every text. Anything beyond ASCII may belong to any run.
 */
function mayHoldLongRun(text: string): boolean {
  let letters = 0;
  let spaces = 0;
  let others = 0;
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit);
    if (code > 0x7f) {
      letters += 3;
      spaces += 3;
      others += 3;
    } else if (isAsciiLetter(code)) {
      letters++;
      spaces = others = 0;
    } else if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) {
      spaces++;
      letters = others = 0;
    } else {
      others++;
      letters = spaces = 0;
    }
    if (letters > RUN_BYTES_MAX || spaces > RUN_BYTES_MAX || others > RUN_BYTES_MAX) return true;
  }
  return false;
}

/**
 * Whether the counts of the parts before and after `offset` add up to the exact count of the whole. This holds after an
 * ASCII letter, and before ASCII that is neither a letter nor an apostrophe. Every pattern of o200k that matches a letter
 * ends there, none looks behind, and no run crosses it.
 */
export function isExactCut(text: string, offset: number): boolean {
  const next = text.charCodeAt(offset);
  return next < 0x80 && next !== 0x27 && !isAsciiLetter(next) && isAsciiLetter(text.charCodeAt(offset - 1));
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}
