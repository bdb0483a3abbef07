/** Finds evidence in a history in memory. */

import type { Chunk } from "../contracts/chunk.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { Analyzer, DocumentTerms } from "../index/analysis/analyzer.ts";
import { endsAsking } from "../index/asking.ts";
import type { DocumentCounts } from "./bm25.ts";
import { type ChunkRange, chunkRanges, type ChunkSize } from "../index/chunk_ranges.ts";
import { makeChunk } from "../index/chunking.ts";
import { type IndexedText, indexedTexts } from "../index/indexed_texts.ts";
import { type EvidenceSource, isShown, type RankedChunk, type WindowView } from "./evidence_source.ts";
import { lentTerms } from "./neighbours.ts";
import type { Pace } from "../pace.ts";
import {
  type MessageDocuments,
  type RankedDocument,
  type RankingParameters,
  type RankingRules,
  rankMessages,
  statisticsOf,
} from "./ranking.ts";

/** The options of a search in a history. */
interface HistoryEvidenceOptions {
  readonly analyzer: Analyzer;
  readonly rules: RankingRules;
  readonly retrieval: ChunkSize & RankingParameters;
  readonly pace: Pace;
  /** The chunks of the history, if the caller passed them. */
  readonly chunks?: readonly Chunk[] | null;
}

/** A chunk of the history, as a document. */
interface HistoryDocument extends RankedDocument {
  readonly messageId: string;
  /** Whether it is of the arguments of a call. */
  readonly isCall: boolean;
  readonly content: string;
}

/** The documents of a turn, by text, in order. */
type TurnDocuments = readonly (readonly HistoryDocument[])[];

/** Searches a history in memory. Each turn is chunked and analyzed once, however often the window changes. */
export class HistoryEvidence implements EvidenceSource {
  readonly #turns: readonly TimedTurn[];
  readonly #options: HistoryEvidenceOptions;
  readonly #chunks: ReadonlyMap<string, readonly Chunk[]> | null;
  readonly #documents: (TurnDocuments | undefined)[] = [];
  #terms: readonly string[] = [];

  /** Creates a search of a whole history, oldest turn first. */
  constructor(turns: readonly TimedTurn[], options: HistoryEvidenceOptions) {
    this.#turns = turns;
    this.#options = options;
    this.#chunks = options.chunks ? byTurn(options.chunks) : null;
  }

  /** Ranks the chunks outside the window. */
  async rank(terms: readonly string[], window: WindowView): Promise<Iterable<RankedChunk>> {
    const { pace, rules, retrieval } = this.#options;
    if (terms !== this.#terms) this.#documents.length = 0;
    this.#terms = terms;
    const messages: MessageDocuments[] = [];
    const old = this.#turns.length - window.size;
    for (const [position, turn] of this.#turns.entries()) {
      if (pace.mustYield()) await pace.rest();
      const shortened = window.shortened.get(turn.turnId);
      if (position >= old && shortened === undefined) continue;
      const documents = this.#documents[position] ??= await this.#documentsOf(turn);
      for (const message of documents) {
        const unseen = shortened === undefined
          ? message
          : message.filter((item) => !isShown(item, shortened));
        if (unseen.length > 0) messages.push(unseen);
      }
    }
    const statistics = statisticsOf(countsOf(messages), terms.length);
    pace.check();
    return rankMessages(messages, statistics, { ...rules, ...retrieval, lent: lentTerms(terms) });
  }

  async #documentsOf(turn: TimedTurn): Promise<TurnDocuments> {
    const texts: HistoryDocument[][] = [];
    for (const text of indexedTexts(turn, this.#options.analyzer)) {
      const documents: HistoryDocument[] = [];
      for (const range of this.#rangesOf(turn, text)) {
        if (this.#options.pace.mustYield()) await this.#options.pace.rest();
        const document = this.#document(turn, text, range);
        if (document !== null) documents.push(document);
      }
      texts.push(documents);
    }
    return texts;
  }

  /** Returns the chunks of a text, in order. A chunk index has those of contents, maybe in another order. */
  #rangesOf(
    turn: TimedTurn,
    { message, call, text }: IndexedText,
  ): Iterable<ChunkRange & { readonly made?: Chunk }> {
    if (this.#chunks === null || call !== null) return chunkRanges(text, this.#options.retrieval);
    return (this.#chunks.get(turn.turnId) ?? [])
      .filter(({ source }) => source.messageId === message.messageId && source.toolCallId === undefined)
      .sort((left, right) => left.source.start - right.source.start)
      .map((chunk) => ({
        start: chunk.source.start,
        end: chunk.source.end,
        content: chunk.content,
        made: chunk,
      }));
  }

  /** Analyzes a chunk; returns null if it has no words. */
  #document(
    turn: TimedTurn,
    text: IndexedText,
    range: ChunkRange & { made?: Chunk },
  ): HistoryDocument | null {
    const { analyzer, retrieval } = this.#options;
    const found = analyzer.documentTerms(range.content, turn.timestamp, text.names);
    if (found.length === 0) return null;
    return {
      counts: countsFor(this.#terms, found),
      asks: endsAsking(range.content),
      messageId: text.message.messageId,
      isCall: text.call !== null,
      content: range.content,
      chunk: () => range.made ?? makeChunk(turn, text, range, retrieval),
    };
  }
}

/** Returns the counts of a document for the terms of a question. */
function countsFor(terms: readonly string[], document: DocumentTerms): DocumentCounts {
  return { length: document.length, frequencies: terms.map((term) => document.frequencies.get(term) ?? 0) };
}

function* countsOf(messages: readonly MessageDocuments[]): Generator<DocumentCounts, void, undefined> {
  for (const documents of messages) for (const { counts } of documents) yield counts;
}

function byTurn(chunks: readonly Chunk[]): ReadonlyMap<string, readonly Chunk[]> {
  const turns = new Map<string, Chunk[]>();
  for (const chunk of chunks) {
    const known = turns.get(chunk.source.turnId);
    if (known === undefined) turns.set(chunk.source.turnId, [chunk]);
    else known.push(chunk);
  }
  return turns;
}
