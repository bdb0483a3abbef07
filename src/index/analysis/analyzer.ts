/** What an analyzer is, and the two there are. */

import { compareCodePoints } from "../../canonical/text.ts";
import { isFunctionTerm } from "./function_words.ts";
import { lexicalTokens } from "./lexical_analyzer.ts";
import { richTerms } from "./rich_analyzer.ts";
import { dateTerms } from "./turn_date.ts";

/** What an index keeps of a document. */
export interface DocumentTerms {
  /** How often each term occurs. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** How many terms the text has, duplicates counted; 0: the text has no words and is no document. */
  readonly length: number;
}

/** Turns texts into terms; documents and questions through the same function. */
export interface Analyzer {
  /** Names the analyzer and its version: an index made by one cannot serve another. */
  readonly key: string;
  /** The terms of a chunk's text, written at `timestamp` (ISO text). */
  documentTerms(content: string, timestamp: string): DocumentTerms;
  /** The terms of a question, without duplicates, in code point order: the order in which scores are summed. */
  queryTerms(question: string): readonly string[];
}

/** Distinct terms of a question that are looked for: more is a document, and would be matched by everything. */
const QUERY_TERMS_MAX = 512;

/** The reference's analyzer. */
export const LEXICAL_ANALYZER: Analyzer = {
  key: "lexical-v1",
  documentTerms: (content) => counted(lexicalTokens(content)),
  queryTerms: (question) => sortedTerms(new Set(lexicalTokens(question))),
};

/** The default profile's analyzer. */
export const RICH_ANALYZER: Analyzer = {
  key: "rich-v1",
  documentTerms: (content, timestamp) => withDate(counted(richTerms(content)), timestamp),
  queryTerms: (question) => sortedTerms(meaningfulTerms(question)),
};

/** The question's first terms that are no function words; all, where it has no others. */
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

function counted(terms: readonly string[]): DocumentTerms & { frequencies: Map<string, number> } {
  const frequencies = new Map<string, number>();
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return { frequencies, length: terms.length };
}

/** The date is found but does not count as length: it would make every short message look long. */
function withDate(
  document: DocumentTerms & { frequencies: Map<string, number> },
  timestamp: string,
): DocumentTerms {
  if (document.length === 0) return document;
  for (const term of dateTerms(timestamp)) {
    document.frequencies.set(term, (document.frequencies.get(term) ?? 0) + 1);
  }
  return document;
}
