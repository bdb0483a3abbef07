/** Where a text can be cut without changing, or hardly changing, the tokens of o200k. */

/**
 * UTF-8 bytes of a piece of a long run: merging byte pairs takes the square of a run's length, so a run is counted in
 * pieces, each of which may be off by a token. Ordinary words and sentences are shorter, and counted exactly.
 */
const RUN_BYTES_MAX = 128;

/** Code points of a run that are matched at a time: the engine's stack gives way in a run of some millions. */
const MATCH_MAX = 4_096;

let run: RegExp | null = null;

/**
 * The runs that byte pairs are merged within: letters with their marks, white space, anything else but digits. Made when
 * it is first needed: making it takes a thirtieth of the time in which a program with the driver starts.
 */
function runPattern(): RegExp {
  run ??= new RegExp(
    String.raw`\p{L}[\p{L}\p{M}]{0,${MATCH_MAX - 1}}|\s{1,${MATCH_MAX}}|[^\s\p{L}\p{N}]{1,${MATCH_MAX}}`,
    "gu",
  );
  return run;
}

/** The code unit offsets at which runs are cut, in order; mostly none. */
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
 * Whether some run could be long: a look at each code unit that spares nearly every text the pattern above. Anything
 * beyond ASCII may belong to any run.
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
 * Whether a text may be parted before the code unit at `offset` so that both parts count exactly as the whole: behind an
 * ASCII letter, before ASCII that is neither letter nor apostrophe. Every pattern of o200k that takes in a letter ends
 * there, none looks back, and no run crosses it.
 */
export function isExactCut(text: string, offset: number): boolean {
  const next = text.charCodeAt(offset);
  return next < 0x80 && next !== 0x27 && !isAsciiLetter(next) && isAsciiLetter(text.charCodeAt(offset - 1));
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}
