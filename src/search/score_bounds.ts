/** Computes upper bounds of scores while postings are unread, and exact scores once they are read. */

import { DELTA, type LexicalScorer } from "./bm25.ts";
import type { Score } from "./evidence_source.ts";
import { LENT_MAX, lentScore, ownScore, type Surroundings } from "./neighbours.ts";
import type { RankingRules } from "./ranking.ts";
import {
  frequencyIn,
  type LoadedDocument,
  type LoadedMessage,
  type LoadedTurn,
  neighbour,
} from "./loaded_turn.ts";

/** Bounds are summed in another order than scores. This factor is larger than the rounding error between the two. */
const LIFT = 1 + 1e-9;

/** The distances at which messages lend. */
export const LENDING_DISTANCES = [-2, -1, 1, 2] as const;

/** A document, and an upper bound of its score. */
export interface Bound {
  readonly document: LoadedDocument;
  /** An upper bound of the score, or the score itself if it is exact. */
  readonly most: number;
  readonly isExact: boolean;
}

/** The scores that the documents of a message can be lent. */
interface Around {
  readonly lent: Surroundings;
  /** Whether the scores are exact. */
  readonly isExact: boolean;
}

/** Computes the bounds of scores as postings are read. */
export class Bounds {
  readonly #scorer: LexicalScorer;
  readonly #rules: RankingRules;
  readonly #every: readonly boolean[];
  /** For each term, whether messages lend for it; null if they lend for every term. */
  readonly #lent: readonly boolean[] | null;
  /** One array, reused for all documents: allocating new ones would take most of the time. */
  readonly #frequencies: number[];
  /** Terms of the question whose postings are not all read. */
  readonly #unread: Set<number>;
  #unseenOwn: number;

  /** Creates bounds for `found` terms, none of which is read yet. `lent` is whether messages lend for each term. */
  constructor(
    scorer: LexicalScorer,
    rules: RankingRules,
    lent: readonly boolean[],
    found: readonly number[],
  ) {
    this.#scorer = scorer;
    this.#rules = rules;
    this.#lent = lent.includes(false) ? lent : null;
    this.#frequencies = lent.map(() => 0);
    this.#every = lent.map(() => true);
    this.#unread = new Set(found);
    this.#unseenOwn = this.#mostOfUnseen();
  }

  /** Whether all postings are read. */
  get areAllRead(): boolean {
    return this.#unread.size === 0;
  }

  /** Marks all postings of a term as read. */
  markRead(term: number): void {
    this.#unread.delete(term);
    this.#unseenOwn = this.#mostOfUnseen();
  }

  /** Returns an upper bound of the own score of documents that have no term whose postings are read. */
  #mostOfUnseen(): number {
    if (this.areAllRead) return 0;
    return (this.#sumOfMost(this.#unread) + this.#absent(this.#unread)) * LIFT;
  }

  /** An upper bound of the total score of documents that are not near a loaded one. */
  get unseen(): number {
    const own = this.#unseenOwn;
    return this.#rules.dialogue ? own * (1 + LENT_MAX) * LIFT : own;
  }

  #sumOfMost(terms: Iterable<number>): number {
    let sum = 0;
    for (const term of terms) sum += this.#scorer.termScoreMax(term);
    return sum;
  }

  /** Returns the score of a document for terms that it does not have: all except these. */
  #absent(terms: { has(term: number): boolean }): number {
    if (this.#rules.absentTerms === "nothing") return 0;
    return this.#scorer.weights.reduce(
      (sum, weight, term) => sum + (terms.has(term) ? 0 : weight * DELTA),
      0,
    );
  }

  /** Sets the own score of each document of a turn, and the score that each message can lend. */
  measure(turn: LoadedTurn): void {
    if (turn.measuredUnread === turn.unread.size) return;
    for (const message of turn.messages) {
      message.best = 0;
      for (const document of message.documents) {
        document.lexical = this.#scoreOf(document, this.#every);
        const lent = this.#lent === null ? document.lexical : this.#scoreOf(document, this.#lent);
        if (lent > message.best) message.best = lent;
      }
    }
    turn.measuredUnread = turn.unread.size;
  }

  /** Returns the score of a document for some terms of the question, or an upper bound. */
  #scoreOf(document: LoadedDocument, counted: readonly boolean[]): number {
    const { turn } = document.message;
    const { length } = document.range;
    const frequencies = this.#frequencies.fill(0);
    let matches = false;
    for (const [term, counts] of turn.counts) {
      if (!counted[term]) continue;
      const frequency = frequencyIn(counts, document.chunk);
      frequencies[term] = frequency;
      if (frequency > 0) matches = true;
    }
    if (turn.isComplete) return matches ? this.#scorer.score({ length, frequencies }) : 0;
    let most = this.#sumOfMost(turn.unread);
    for (const [term, frequency] of frequencies.entries()) {
      if (turn.unread.has(term)) continue;
      if (frequency > 0) most += this.#scorer.termScore(term, frequency, length);
      else if (this.#rules.absentTerms === "delta") most += (this.#scorer.weights[term] ?? 0) * DELTA;
    }
    return most * LIFT;
  }

  /** Returns the scores that a message can be lent. The turns around it must be measured. */
  around(message: LoadedMessage): Around {
    const beforeLast = neighbour(message, -2);
    const before = neighbour(message, -1);
    const after = neighbour(message, 1);
    const afterNext = neighbour(message, 2);
    return {
      lent: {
        beforeLast: this.#best(beforeLast),
        before: this.#best(before),
        isAsked: before?.asks ?? true,
        after: this.#best(after),
        afterNext: this.#best(afterNext),
      },
      isExact: this.#isExact(beforeLast) && this.#isExact(before) && this.#isExact(after) &&
        this.#isExact(afterNext),
    };
  }

  /** Returns the bound of a document, whose turn must be measured. Pass `around` if it is computed already. */
  of(document: LoadedDocument, around?: Around): Bound {
    const { message } = document;
    const { isComplete } = message.turn;
    if (!this.#rules.dialogue) return { document, most: document.lexical, isExact: isComplete };
    const { lent, isExact } = around ?? this.around(message);
    const total = ownScore(document.lexical, document.range.asks) + lentScore(lent, placeOf(document));
    return isComplete && isExact
      ? { document, most: total, isExact: true }
      : { document, most: total * LIFT, isExact: false };
  }

  /** Returns the score of a document whose bound is exact. */
  score(document: LoadedDocument): Score {
    const { lexical, message, range: { asks } } = document;
    if (!this.#rules.dialogue) return { total: lexical, lexical, neighbours: 0 };
    const own = ownScore(lexical, asks);
    const neighbours = lentScore(this.around(message).lent, placeOf(document));
    return { total: own + neighbours, lexical: own, neighbours };
  }

  #best(message: LoadedMessage | null | undefined): number {
    return message === undefined ? this.#unseenOwn : message?.best ?? 0;
  }

  #isExact(message: LoadedMessage | null | undefined): boolean {
    return message === undefined ? this.areAllRead : message === null || message.turn.isComplete;
  }
}

function placeOf({ index, message }: LoadedDocument): { readonly index: number; readonly count: number } {
  return { index, count: message.documents.length };
}
