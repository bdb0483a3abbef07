/**
 * BM25+ (Lv and Zhai, "Lower-bounding term frequency normalization", CIKM 2011) over integers: a score is a function of
 * counts that an index can keep and correct, evaluated in one fixed shape, so that it has the same bits wherever the
 * counts come from.
 */

/** What a term adds by occurring at all, however long the document: the reference's value. */
export const DELTA = 1.0;

/** The two parameters. */
export interface LexicalParameters {
  /** How fast a repeated term stops adding; above 0. */
  readonly k1: number;
  /** How much long documents are held back; 0 to 1. */
  readonly b: number;
}

/** What a collection of documents is, to a question. */
export interface CorpusStatistics {
  /** Documents. */
  readonly documents: number;
  /** Terms of all documents, duplicates counted. */
  readonly totalLength: number;
  /** For each term of the question in its order, how many documents have it. */
  readonly documentFrequencies: readonly number[];
}

/** What a document is, to a question. */
export interface DocumentCounts {
  /** Terms, duplicates counted. */
  readonly length: number;
  /** For each term of the question in its order, how often the document has it. */
  readonly frequencies: readonly number[];
}

/**
 * What a document gets for a term of the question that it does not have: in the reference {@linkcode DELTA} too
 * ("delta"), by its authors nothing ("nothing"), so that having more of the question's terms counts for more.
 */
export type AbsentTerms = "delta" | "nothing";

/** How much finding a term says; 0 for one that no document has. */
function inverseDocumentFrequency(documents: number, documentFrequency: number): number {
  return documentFrequency === 0 ? 0 : Math.log((documents + 1) / documentFrequency);
}

/** Scores documents of one collection against one question. */
export class LexicalScorer {
  readonly #parameters: LexicalParameters;
  readonly #absentTerms: AbsentTerms;
  readonly #averageLength: number;
  readonly #weights: readonly number[];

  /** Takes the collection's statistics. */
  constructor(statistics: CorpusStatistics, parameters: LexicalParameters, absentTerms: AbsentTerms) {
    const { documents, totalLength, documentFrequencies } = statistics;
    this.#parameters = parameters;
    this.#absentTerms = absentTerms;
    this.#averageLength = totalLength / documents;
    this.#weights = documentFrequencies.map((frequency) => inverseDocumentFrequency(documents, frequency));
  }

  /** The inverse document frequency of each term of the question, in its order. */
  get weights(): readonly number[] {
    return this.#weights;
  }

  /** The score of a document of that collection: 0 or more, summed in the order of the question's terms. */
  score(document: DocumentCounts): number {
    const { k1, b } = this.#parameters;
    const norm = k1 * (1 - b + (b * document.length) / this.#averageLength);
    let score = 0;
    for (let index = 0; index < this.#weights.length; index++) {
      const frequency = document.frequencies[index] ?? 0;
      if (frequency === 0 && this.#absentTerms === "nothing") continue;
      score += (this.#weights[index] ?? 0) * (DELTA + (frequency * (k1 + 1)) / (norm + frequency));
    }
    return score;
  }

  /** What a document of some length gets for the term at `index`, which it has `frequency` times. */
  termScore(index: number, frequency: number, length: number): number {
    const { k1, b } = this.#parameters;
    const norm = k1 * (1 - b + (b * length) / this.#averageLength);
    return (this.#weights[index] ?? 0) * (DELTA + (frequency * (k1 + 1)) / (norm + frequency));
  }

  /** No document gets more for the term at `index`. */
  termScoreMax(index: number): number {
    return (this.#weights[index] ?? 0) * (DELTA + this.#parameters.k1 + 1);
  }
}

/** Whether a document has any term of the question. */
export function matchesAny(document: DocumentCounts): boolean {
  return document.frequencies.some((frequency) => frequency > 0);
}
