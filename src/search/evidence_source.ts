/** Where evidence is looked for: the RETRIEVE layer asks one of these, and does not know what lies behind it. */

import type { Chunk } from "../contracts/chunk.ts";
import type { DamagedRow } from "../contracts/damaged.ts";
import type { SourceRef } from "../contracts/source_ref.ts";

/** Why a chunk was found. */
export interface Score {
  /** What chunks are ordered by; above 0. */
  readonly total: number;
  /** From the words of the question in the chunk itself. */
  readonly lexical: number;
  /** Lent by the messages around it. */
  readonly neighbours: number;
}

/** A chunk that was found. */
export interface RankedChunk {
  /** The chunk. */
  readonly chunk: Chunk;
  /** Why it was found. */
  readonly score: Score;
}

/** A piece of the conversation that a question found. */
export interface Hit {
  /** Where it stands. */
  readonly source: SourceRef;
  /** Its text. */
  readonly content: string;
  /** Why it was found. */
  readonly score: Score;
}

/** What a search found, best first, and what it left out. */
export interface Hits extends ReadonlyArray<Hit> {
  /** Damaged rows that were met and left out, with `damaged: "skip"`; not enumerable. */
  readonly skipped: readonly DamagedRow[];
}

/** What a window shows of a turn whose messages were shortened: message id → text. */
export type VisibleText = ReadonlyMap<string, string>;

/** What evidence must leave out. */
export interface WindowView {
  /** How many of the newest turns are in the window: their chunks are no documents. */
  readonly size: number;
  /**
   * With `recoverCappedWindow`, turns of the window whose text was shortened (turn id → what is shown): their chunks
   * are documents, except those that are shown whole.
   */
  readonly shortened: ReadonlyMap<string, VisibleText>;
}

/** A source of evidence. */
export interface EvidenceSource {
  /**
   * The chunks that answer the question, best first (score descending, then chunk id ascending); only those with a
   * total above the configured minimum. Called again for each other window.
   */
  rank(
    terms: readonly string[],
    window: WindowView,
  ): Promise<Iterable<RankedChunk> | AsyncIterable<RankedChunk>>;
}

/** Whether a chunk is shown whole in the window already. */
export function isShown(
  chunk: { readonly messageId: string; readonly content: string },
  visible: VisibleText,
): boolean {
  return visible.get(chunk.messageId)?.includes(chunk.content) ?? false;
}
