/** The terms of one word or identifier: the whole, and the parts that people also search for. */

import { foldCase, isAscii } from "./case_fold.ts";
import { withoutDiacritics } from "./diacritics.ts";
import { englishStem } from "./english_stem.ts";

/** Most code units of a term. Longer ones (keys, hashes, lines without a space) are indexed by their beginning. */
const TERM_CODE_UNITS_MAX = 64;

/** Most parts of a word without separators. A word with more is a random key, whose parts mean nothing. */
const CASE_PARTS_MAX = 6;

/** Separators in a path, an address or a call; each segment between them is an identifier of its own. */
const STRONG = /[/\\:@'&+#~]+/;
/** Separators inside an identifier. */
const WEAK = /[-._]+/;

/** A part of a mixed-case word: "HTTPRelay" is HTTP and Relay, "kiln2Temp" is kiln, 2 and Temp. */
const CASE_PART =
  /\p{N}+|(?:\p{Lu}\p{M}*)+(?!\p{Ll})|\p{Lu}?\p{M}*(?:[\p{Ll}\p{Lo}\p{Lm}\p{Lt}]\p{M}*)+|\p{Lu}\p{M}*|\p{M}+/gu;

const CLITIC = /'(?:s|t|re|ve|m|ll|d)$/i;
const PLAIN = /^\p{Lu}?(?:[\p{Ll}\p{Lo}\p{Lm}]\p{M}*)+$/u;
const VERSION = /^v(?=\d)/i;
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T|$)/i;
const LETTER = /^\p{L}$/u;
const LETTERS = /\p{L}/u;

/**
 * Returns the terms of an identifier without duplicates. For `shard-19` they are shard-19, shard19, shard and 19; for a
 * plain word, its stem. The identifier is normalised but not folded, and its words are joined by single separators.
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

/** Adds the spelling without marks: people search for "Pensão" as "pensao" too. An exact match has both terms. */
function withPlainSpellings(terms: Iterable<string>): Iterable<string> {
  const all = new Set(terms);
  for (const word of [...all]) {
    const plain = withoutDiacritics(word);
    if (plain !== null) all.add(englishStem(plain));
  }
  return all;
}

function addSegment(segment: string, terms: Set<string>): void {
  const words = segment.split(WEAK).filter((word) => word !== "");
  if (words.length > 1) {
    terms.add(term(segment));
    // The spelling without separators, so that oven_api_key, oven-api-key and ovenApiKey find each other.
    if (LETTERS.test(segment) && !segment.includes(".")) terms.add(term(words.join("")));
    // A search for "4.10.2" finds "v4.10.2".
    if (VERSION.test(segment)) terms.add(term(segment.slice(1)));
    // A search for "2026-05", "2026-05-14" or "May 14" finds "2026-05-14T12:00".
    if (ISO_DATE.test(segment)) {
      terms.add(segment.slice(0, 10)).add(segment.slice(0, 7)).add(segment.slice(5, 10));
    }
  }
  for (const word of words) addWord(word, terms);
}

function addWord(word: string, terms: Set<string>): void {
  terms.add(term(word));
  const parts = word.length > TERM_CODE_UNITS_MAX ? [] : word.match(CASE_PART) ?? [];
  if (parts.length < 2 || parts.length > CASE_PARTS_MAX) return;
  // The "v" of v2 and the "i" of iPhone are not words.
  for (const part of parts) if (!LETTER.test(part)) terms.add(term(part));
}

/** Returns a term as it is indexed: folded, composed, stemmed, and truncated if it is too long. */
function term(text: string): string {
  const bounded = text.length > TERM_CODE_UNITS_MAX
    ? text.slice(0, TERM_CODE_UNITS_MAX).toWellFormed()
    : text;
  return englishStem(foldCase(bounded).normalize("NFC"));
}

/** Returns the term of a single plain word, as {@linkcode identifierTerms} does. */
export function wordTerm(word: string): string {
  return term(word);
}
