/**
 * BM25+ (Lv and Zhai, "Lower-bounding term frequency normalization", CIKM 2011) over integers. An index can store and
 * update the counts, and the formula is evaluated in one fixed order, so that equal counts have bitwise equal scores.
 */

/** The score of a term for occurring at all, however long the document is: the reference's value. */
export const DELTA = 1.0;

/** The two parameters of BM25+. */
export interface LexicalParameters {
  /** Term frequency saturation; above 0. */
  readonly k1: number;
  /** Length normalization, 0 to 1. */
  readonly b: number;
}

/** The statistics of a collection of documents, for one question. */
export interface CorpusStatistics {
  /** The number of documents. */
  readonly documents: number;
  /** The number of terms in all documents, duplicates included. */
  readonly totalLength: number;
  /** For each term of the question, in order: the number of documents that have it. */
  readonly documentFrequencies: readonly number[];
}

/** The statistics of a document, for one question. */
export interface DocumentCounts {
  /** The number of terms, duplicates included. */
  readonly length: number;
  /** For each term of the question, in order: the number of occurrences in the document. */
  readonly frequencies: readonly number[];
}

/**
 * The score of a document for a term of the question that it does not have. It is {@linkcode DELTA} as in the reference
 * (`"delta"`), or nothing as in the paper (`"nothing"`), so that documents with more of the terms score higher.
 */
export type AbsentTerms = "delta" | "nothing";

/** Returns the weight of a term; 0 if no document has it. */
function inverseDocumentFrequency(documents: number, documentFrequency: number): number {
  return documentFrequency === 0 ? 0 : Math.log((documents + 1) / documentFrequency);
}

/** Scores the documents of one collection for one question. */
export class LexicalScorer {
  readonly #parameters: LexicalParameters;
  readonly #absentTerms: AbsentTerms;
  readonly #averageLength: number;
  readonly #weights: readonly number[];

  /** Creates a scorer from the statistics of the collection. */
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

  /** Returns the score of a document: 0 or more, summed in the order of the question's terms. */
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

  /** Returns the score for the term at `index`, of a document of this length that has it `frequency` times. */
  termScore(index: number, frequency: number, length: number): number {
    const { k1, b } = this.#parameters;
    const norm = k1 * (1 - b + (b * length) / this.#averageLength);
    return (this.#weights[index] ?? 0) * (DELTA + (frequency * (k1 + 1)) / (norm + frequency));
  }

  /** Returns an upper bound of the score for the term at `index`. */
  termScoreMax(index: number): number {
    return (this.#weights[index] ?? 0) * (DELTA + this.#parameters.k1 + 1);
  }
}

/** Whether a document has any term of the question. */
export function matchesAny(document: DocumentCounts): boolean {
  return document.frequencies.some((frequency) => frequency > 0);
}
