/** The part of a retrieval configuration that a search needs. */

/** The part of a retrieval configuration that a search needs. */
export interface SearchSettings {
  /** Code points of a chunk. */
  readonly chunkCharacters: number;
  /** Code points that a chunk shares with the one before. */
  readonly overlapCharacters: number;
  /** Only chunks with a higher score are returned. */
  readonly minimumScore: number;
  /** Term frequency saturation of BM25. */
  readonly k1: number;
  /** Length normalization of BM25, 0 to 1. */
  readonly b: number;
}
