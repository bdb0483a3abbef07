/**
 * Lending between messages: in a conversation the answer often stands beside the words that were asked for ("Which
 * shard was it?" – "19, since noon"). A chunk is lent a part of the best lexical scores of the messages around it.
 *
 * The shares were chosen on public dialogue, where they matter little by themselves: docs/adr/0008 has the figures. Small
 * ones are cheap, since the index stops reading the sooner the less a message can be lent.
 */

import type { DocumentCounts } from "./bm25.ts";
import { isDateTerm } from "../index/analysis/turn_date.ts";

/** The part that the message before or after lends. */
const NEAR_SHARE = 0.3;

/** The part that the message one further lends. */
const FAR_SHARE = 0.2;

/** The part that the message before lends where it asks: the next is where the answer stands. */
const ASKING_SHARE = 0.8;

/**
 * The part of its own score that a chunk keeps which asks: its words are those of the question, but it does not answer.
 * Below {@linkcode ASKING_SHARE}, so that of a question and the reply to it the reply comes first.
 */
const ASKING_OWN_SHARE = 0.7;

/**
 * How much less each chunk gets that lies further inside its message: what answers stands near the edge, and a message
 * of many chunks must not crowd out everything else. A power of two, so that it rounds nothing.
 */
const INWARD_SHARE = 0.5;

/**
 * For each term of a question, whether messages lend for it. Not for dates: what stands beside a message was said on
 * the same day and has the date itself, so that lending would only move the middle of that day to its front.
 */
export function lentTerms(terms: readonly string[]): readonly boolean[] {
  return terms.map((term) => !isDateTerm(term));
}

/** What a document can lend for. */
export function lentCounts(counts: DocumentCounts, lent: readonly boolean[]): DocumentCounts {
  if (!lent.includes(false)) return counts;
  return { ...counts, frequencies: counts.frequencies.map((frequency, term) => lent[term] ? frequency : 0) };
}

/** No chunk is lent more than this times the best lexical score there is: what a search may stop by. */
export const LENT_MAX = ASKING_SHARE + NEAR_SHARE + 2 * FAR_SHARE;

/** The best lexical scores of the messages around a chunk's own; 0 where there is none, or it has no match. */
export interface Surroundings {
  /** Two messages before. */
  readonly beforeLast: number;
  /** The message before. */
  readonly before: number;
  /** Whether that one asks. */
  readonly isAsked: boolean;
  /** The message after. */
  readonly after: number;
  /** Two messages after. */
  readonly afterNext: number;
}

/** Which chunk of its message it is. */
interface Place {
  /** From 0. */
  readonly index: number;
  /** Chunks of the message. */
  readonly count: number;
}

/** What a chunk scores by its own words, in a dialogue. */
export function ownScore(lexical: number, asks: boolean): number {
  return asks ? ASKING_OWN_SHARE * lexical : lexical;
}

/** What a chunk is lent. */
export function lentScore(around: Surroundings, place: Place): number {
  const beforeShare = around.isAsked ? ASKING_SHARE : NEAR_SHARE;
  const fromBefore = beforeShare * around.before + FAR_SHARE * around.beforeLast;
  const fromAfter = NEAR_SHARE * around.after + FAR_SHARE * around.afterNext;
  return fromBefore * INWARD_SHARE ** place.index +
    fromAfter * INWARD_SHARE ** (place.count - 1 - place.index);
}
