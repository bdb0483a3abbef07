/**
 * Messages lend a part of their scores to the messages around them. In a conversation the answer is often next to the
 * words of the question ("Which shard was it?" – "19, since noon"). A chunk therefore receives a share of the best lexical
 * score of each neighbouring message.
 *
 * The shares were chosen on public dialogue, where their exact values matter little: docs/adr/0008 has the figures. Small
 * shares are cheaper, because the search can stop reading earlier.
 */

import type { DocumentCounts } from "./bm25.ts";
import { isDateTerm } from "../index/analysis/turn_date.ts";

/** The share that the message before or after lends. */
const NEAR_SHARE = 0.3;

/** The share that the message at distance two lends. */
const FAR_SHARE = 0.2;

/** The share that a question lends to the next message, because that one probably has the answer. */
const ASKING_SHARE = 0.8;

/**
 * The share of its own score that a question keeps: its words match, but it does not answer. Below
 * {@linkcode ASKING_SHARE}, so that a reply comes before the question that it answers.
 */
const ASKING_OWN_SHARE = 0.7;

/**
 * The factor for each chunk further inside a message. Answers are near the edge, and a message of many chunks must not
 * crowd out all others. A power of two, so that the product is exact.
 */
const INWARD_SHARE = 0.5;

/**
 * Returns for each term of a question whether messages lend for it. They do not lend for dates: neighbouring messages
 * are of the same day and match the date themselves, so that lending would only favour the middle of that day.
 */
export function lentTerms(terms: readonly string[]): readonly boolean[] {
  return terms.map((term) => !isDateTerm(term));
}

/** Returns the counts of a document without the terms that are not lent. */
export function lentCounts(counts: DocumentCounts, lent: readonly boolean[]): DocumentCounts {
  if (!lent.includes(false)) return counts;
  return { ...counts, frequencies: counts.frequencies.map((frequency, term) => lent[term] ? frequency : 0) };
}

/** An upper bound of what a chunk is lent, as a multiple of the best lexical score. A search stops by it. */
export const LENT_MAX = ASKING_SHARE + NEAR_SHARE + 2 * FAR_SHARE;

/** The best lexical scores of the messages around; 0 for a message that does not exist or does not match. */
export interface Surroundings {
  /** Two messages before. */
  readonly beforeLast: number;
  /** The message before. */
  readonly before: number;
  /** Whether that message ends with a question. */
  readonly isAsked: boolean;
  /** The message after. */
  readonly after: number;
  /** Two messages after. */
  readonly afterNext: number;
}

/** The position of a chunk in its message. */
interface Place {
  /** From 0. */
  readonly index: number;
  /** The number of chunks of the message. */
  readonly count: number;
}

/** Returns the share of its lexical score that a chunk keeps in a dialogue. */
export function ownScore(lexical: number, asks: boolean): number {
  return asks ? ASKING_OWN_SHARE * lexical : lexical;
}

/** Returns the score that a chunk is lent. */
export function lentScore(around: Surroundings, place: Place): number {
  const beforeShare = around.isAsked ? ASKING_SHARE : NEAR_SHARE;
  const fromBefore = beforeShare * around.before + FAR_SHARE * around.beforeLast;
  const fromAfter = NEAR_SHARE * around.after + FAR_SHARE * around.afterNext;
  return fromBefore * INWARD_SHARE ** place.index +
    fromAfter * INWARD_SHARE ** (place.count - 1 - place.index);
}
