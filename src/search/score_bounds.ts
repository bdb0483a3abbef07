/** What documents can score at most while not every posting was read, and exactly once those that matter were. */

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

/** Bounds are sums in another order than scores: lifted by more than rounding can make of it. */
const LIFT = 1 + 1e-9;

/** The distances at which messages lend. */
export const LENDING_DISTANCES = [-2, -1, 1, 2] as const;

/** A document, and what is known of its score. */
export interface Bound {
  readonly document: LoadedDocument;
  /** No less than the score; the score itself, where that is known. */
  readonly most: number;
  readonly isExact: boolean;
}

/** What the documents of a message can be lent. */
interface Around {
  readonly lent: Surroundings;
  /** Whether that is known exactly. */
  readonly isExact: boolean;
}

/** Bounds scores as postings are read. */
export class Bounds {
  readonly #scorer: LexicalScorer;
  readonly #rules: RankingRules;
  readonly #every: readonly boolean[];
  /** The terms for which messages lend; null where they do for every one. */
  readonly #lent: readonly boolean[] | null;
  /** One list for all documents that are scored: most of the time would go into making new ones. */
  readonly #frequencies: number[];
  /** Terms of the question whose postings were not all read. */
  readonly #unread: Set<number>;
  #unseenOwn: number;

  /** Takes for which terms messages lend, and the terms that documents have; none is read yet. */
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

  /** Whether all postings were read. */
  get areAllRead(): boolean {
    return this.#unread.size === 0;
  }

  /** Notes that all postings of a term were read. */
  markRead(term: number): void {
    this.#unread.delete(term);
    this.#unseenOwn = this.#mostOfUnseen();
  }

  /** No document without any term whose postings were read scores more by its own words. */
  #mostOfUnseen(): number {
    if (this.areAllRead) return 0;
    return (this.#sumOfMost(this.#unread) + this.#absent(this.#unread)) * LIFT;
  }

  /** No document scores more in total that stands beside none that was loaded. */
  get unseen(): number {
    const own = this.#unseenOwn;
    return this.#rules.dialogue ? own * (1 + LENT_MAX) * LIFT : own;
  }

  #sumOfMost(terms: Iterable<number>): number {
    let sum = 0;
    for (const term of terms) sum += this.#scorer.termScoreMax(term);
    return sum;
  }

  /** What a document gets for the terms that are not among these. */
  #absent(terms: { has(term: number): boolean }): number {
    if (this.#rules.absentTerms === "nothing") return 0;
    return this.#scorer.weights.reduce(
      (sum, weight, term) => sum + (terms.has(term) ? 0 : weight * DELTA),
      0,
    );
  }

  /** Sets for each document of a turn what its own words score, and for each message what it can lend. */
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

  /** A document's score for some terms of the question, or no less. */
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

  /** What a message's documents can be lent; the turns around it were measured. */
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

  /** A document's bound; its turn was measured. What its message is lent is handed in where it is known already. */
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

  /** The score of a document whose bound is exact. */
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
