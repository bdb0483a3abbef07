/** What of a retrieval configuration a search goes by. */

/** What of a retrieval configuration a search goes by. */
export interface SearchSettings {
  /** Code points of a chunk. */
  readonly chunkCharacters: number;
  /** Code points that a chunk shares with the one before. */
  readonly overlapCharacters: number;
  /** Chunks must score above it. */
  readonly minimumScore: number;
  /** How fast a repeated word stops counting. */
  readonly k1: number;
  /** How much long chunks are held back: 0 to 1. */
  readonly b: number;
}
