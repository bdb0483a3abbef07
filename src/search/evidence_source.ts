/** The interface between the RETRIEVE layer and the sources of evidence: a history in memory, or an index. */

import type { Chunk } from "../contracts/chunk.ts";
import type { DamagedRow } from "../contracts/damaged.ts";
import type { Role } from "../contracts/message.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { MatchedRange } from "../index/analysis/matched_ranges.ts";
import type { IndexedText } from "../index/indexed_texts.ts";
import type { SourceRef } from "../contracts/source_ref.ts";

/** The score of a chunk, and its parts. */
export interface Score {
  /** The sum, by which chunks are ordered; above 0. */
  readonly total: number;
  /** The part for words of the question in the chunk itself. */
  readonly lexical: number;
  /** The part for words of the question in the messages around it. */
  readonly neighbours: number;
}

/** A chunk with its score. */
export interface RankedChunk {
  /** The chunk. */
  readonly chunk: Chunk;
  /** Its score. */
  readonly score: Score;
}

/** A ranked chunk, with what it was taken from. */
export interface FoundChunk extends RankedChunk {
  readonly turn: TimedTurn;
  readonly text: IndexedText;
}

/** A chunk of a conversation that a search found: of what was said, or of the arguments of a call. */
export interface Hit {
  /** The place of the chunk in the conversation. */
  readonly source: SourceRef;
  /** The session. */
  readonly sessionId: string;
  /** The time of the turn: ISO text with an offset. */
  readonly timestamp: string;
  /** Who speaks. */
  readonly role: Role;
  /** The name of the tool, if the chunk is of the arguments of a call. */
  readonly toolName?: string;
  /** The text. */
  readonly content: string;
  /** The words of the text that match the query, in order, in code points of the same text as `source`. */
  readonly matches: readonly MatchedRange[];
  /** The score. */
  readonly score: Score;
}

/** The results of a search, best first, and the damaged rows that it skipped. */
export interface Hits extends ReadonlyArray<Hit> {
  /** Damaged rows that were skipped, with `damaged: "skip"`; not enumerable. */
  readonly skipped: readonly DamagedRow[];
}

/** The text that the window shows of a turn with shortened messages: message id → text. */
export type VisibleText = ReadonlyMap<string, string>;

/** The turns in the window, which evidence leaves out. */
export interface WindowView {
  /** The number of newest turns in the window. Their chunks are not searched. */
  readonly size: number;
  /**
   * With `recoverCappedWindow`, the shortened turns of the window (turn id → visible text). Their chunks are searched,
   * except those that the window shows whole.
   */
  readonly shortened: ReadonlyMap<string, VisibleText>;
}

/** A source of evidence. */
export interface EvidenceSource {
  /**
   * Returns the chunks that match the question and score above the minimum, best first. They are ordered by descending
   * score, then by ascending chunk id. Called once for each window that is tried.
   */
  rank(
    terms: readonly string[],
    window: WindowView,
  ): Promise<Iterable<RankedChunk> | AsyncIterable<RankedChunk>>;
}

/** Whether the window shows a chunk whole. It never shortens the arguments of a call. */
export function isShown(
  chunk: { readonly messageId: string; readonly isCall: boolean; readonly content: string },
  visible: VisibleText,
): boolean {
  const shown = visible.get(chunk.messageId);
  return shown !== undefined && (chunk.isCall || shown.includes(chunk.content));
}
