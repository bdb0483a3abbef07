/** The terms of one word or identifier: the whole, and the parts that people also ask for. */

import { foldCase, isAscii } from "./case_fold.ts";
import { withoutDiacritics } from "./diacritics.ts";
import { englishStem } from "./english_stem.ts";

/** Code units of a term: longer ones (keys, hashes, lines without a space) are known by their beginning. */
const TERM_CODE_UNITS_MAX = 64;

/** Parts of a piece without separators: beyond it the piece is a random key, whose parts mean nothing. */
const CASE_PARTS_MAX = 6;

/** Separators that part a path, an address or a call; what stands between them is an identifier of its own. */
const STRONG = /[/\\:@'&+#~]+/;
/** Separators inside an identifier. */
const WEAK = /[-._]+/;

/** "HTTPRelay" is HTTP and Relay; "kiln2Temp" is kiln, 2 and Temp. */
const CASE_PART =
  /\p{N}+|(?:\p{Lu}\p{M}*)+(?!\p{Ll})|\p{Lu}?\p{M}*(?:[\p{Ll}\p{Lo}\p{Lm}\p{Lt}]\p{M}*)+|\p{Lu}\p{M}*|\p{M}+/gu;

const CLITIC = /'(?:s|t|re|ve|m|ll|d)$/i;
const PLAIN = /^\p{Lu}?(?:[\p{Ll}\p{Lo}\p{Lm}]\p{M}*)+$/u;
const VERSION = /^v(?=\d)/i;
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T|$)/i;
const LETTER = /^\p{L}$/u;
const LETTERS = /\p{L}/u;

/**
 * The terms of an identifier (normalised, not folded; words joined by single separators), without duplicates:
 * `shard-19` gives shard-19, shard19, shard, 19. A plain word gives its stem.
 */
export function identifierTerms(identifier: string): Iterable<string> {
  const spelled = identifier.replaceAll("’", "'").replaceAll("‐", "-").replace(CLITIC, "");
  const terms = termsOf(spelled);
  return isAscii(spelled) ? terms : withPlainSpellings(terms);
}

function termsOf(spelled: string): Iterable<string> {
  if (spelled.length <= TERM_CODE_UNITS_MAX && PLAIN.test(spelled)) return [term(spelled)];
  const terms = new Set([term(spelled)]);
  for (const segment of spelled.split(STRONG)) addSegment(segment, terms);
  terms.delete("");
  return terms;
}

/** "Pensão" is asked for as "pensao" too; the exact spelling has both terms, and comes first. */
function withPlainSpellings(terms: Iterable<string>): Iterable<string> {
  const all = new Set(terms);
  for (const word of [...all]) {
    const plain = withoutDiacritics(word);
    if (plain !== null) all.add(englishStem(plain));
  }
  return all;
}

function addSegment(segment: string, terms: Set<string>): void {
  const pieces = segment.split(WEAK).filter((piece) => piece !== "");
  if (pieces.length > 1) {
    terms.add(term(segment));
    // The spelling without separators, so that oven_api_key, oven-api-key and ovenApiKey find each other.
    if (LETTERS.test(segment) && !segment.includes(".")) terms.add(term(pieces.join("")));
    // "4.10.2" is asked for where "v4.10.2" is written.
    if (VERSION.test(segment)) terms.add(term(segment.slice(1)));
    // "2026-05", "2026-05-14" and "May 14" are asked for where "2026-05-14T12:00" is written.
    if (ISO_DATE.test(segment)) {
      terms.add(segment.slice(0, 10)).add(segment.slice(0, 7)).add(segment.slice(5, 10));
    }
  }
  for (const piece of pieces) addPiece(piece, terms);
}

function addPiece(piece: string, terms: Set<string>): void {
  terms.add(term(piece));
  const parts = piece.length > TERM_CODE_UNITS_MAX ? [] : piece.match(CASE_PART) ?? [];
  if (parts.length < 2 || parts.length > CASE_PARTS_MAX) return;
  // The "v" of v2 and the "i" of iPhone are no words.
  for (const part of parts) if (!LETTER.test(part)) terms.add(term(part));
}

/** A term as it is indexed: folded, composed, stemmed, and cut where it is too long. */
function term(text: string): string {
  const bounded = text.length > TERM_CODE_UNITS_MAX
    ? text.slice(0, TERM_CODE_UNITS_MAX).toWellFormed()
    : text;
  return englishStem(foldCase(bounded).normalize("NFC"));
}

/** The term of a single plain word, as {@linkcode identifierTerms} would give it. */
export function wordTerm(word: string): string {
  return term(word);
}
