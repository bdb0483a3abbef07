/** The interface of analyzers, and the two implementations. */

import { compareCodePoints } from "../../canonical/text.ts";
import { isFunctionTerm } from "./function_words.ts";
import { lexicalTokens } from "./lexical_analyzer.ts";
import { richTerms } from "./rich_analyzer.ts";
import { dateTerms } from "./turn_date.ts";

/** The terms of a document, as an index keeps them. */
export interface DocumentTerms {
  /** The number of occurrences of each term. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** The number of terms, duplicates included. A text with 0 has no words and is not a document. */
  readonly length: number;
}

/** Returns the analyzer of an index, by the key of either. */
export function analyzerOf(key: string): Analyzer {
  return key.endsWith(LEXICAL_ANALYZER.key) ? LEXICAL_ANALYZER : RICH_ANALYZER;
}

/** Turns texts into terms. Documents and questions go through the same function. */
export interface Analyzer {
  /** The name and version of the analyzer. An index can be searched only with the analyzer that built it. */
  readonly key: string;
  /** Whether names, and calls of tools, are indexed too. */
  readonly readsCalls: boolean;
  /** Returns the terms of a chunk that was written at `timestamp` (ISO text), and of the `names` that it is found by. */
  documentTerms(content: string, timestamp: string, names?: string): DocumentTerms;
  /** Returns the terms of a question without duplicates, in code point order. Scores are summed in this order. */
  queryTerms(question: string): readonly string[];
}

/** Most distinct terms of a question. A longer question is a document, and would match everything. */
const QUERY_TERMS_MAX = 512;

/** The reference's analyzer. */
export const LEXICAL_ANALYZER: Analyzer = {
  key: "lexical-v1",
  readsCalls: false,
  documentTerms: (content) => countTerms(lexicalTokens(content)),
  queryTerms: (question) => sortedTerms(new Set(lexicalTokens(question))),
};

/** The default profile's analyzer. */
export const RICH_ANALYZER: Analyzer = {
  key: "rich-v2",
  readsCalls: true,
  documentTerms: (content, timestamp, names = "") => {
    const terms = names === "" ? richTerms(content) : [...richTerms(names), ...richTerms(content)];
    return addDate(countTerms(terms), timestamp);
  },
  queryTerms: (question) => sortedTerms(meaningfulTerms(question)),
};

/** Returns the first terms of the question that are not function words. Returns all terms if it has no others. */
function meaningfulTerms(question: string): ReadonlySet<string> {
  const all = new Set<string>();
  const meaningful = new Set<string>();
  for (const term of richTerms(question)) {
    if (meaningful.size >= QUERY_TERMS_MAX) break;
    if (all.size < QUERY_TERMS_MAX) all.add(term);
    if (!isFunctionTerm(term)) meaningful.add(term);
  }
  return meaningful.size > 0 ? meaningful : all;
}

function sortedTerms(terms: ReadonlySet<string>): readonly string[] {
  return [...terms].sort(compareCodePoints);
}

function countTerms(terms: readonly string[]): DocumentTerms & { frequencies: Map<string, number> } {
  const frequencies = new Map<string, number>();
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return { frequencies, length: terms.length };
}

/** Adds the terms of the date. They do not count as length, because they would make every short message look long. */
function addDate(
  document: DocumentTerms & { frequencies: Map<string, number> },
  timestamp: string,
): DocumentTerms {
  if (document.length === 0) return document;
  for (const term of dateTerms(timestamp)) {
    document.frequencies.set(term, (document.frequencies.get(term) ?? 0) + 1);
  }
  return document;
}
