/** Reads the text of chunks from their turns. */

import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";
import { TURNS_PER_PAGE } from "../limits.ts";
import type { ChunkSize } from "../index/chunk_ranges.ts";
import { makeChunk } from "../index/chunking.ts";
import { CodePointMap } from "../canonical/code_point_map.ts";
import type { Pace } from "../pace.ts";
import type { SessionView } from "../index/scope_view.ts";
import { type Analyzer, analyzerOf } from "../index/analysis/analyzer.ts";
import { indexedTexts } from "../index/indexed_texts.ts";
import type { FoundChunk } from "./evidence_source.ts";
import type { Query } from "./index_query.ts";
import type { LoadedDocument } from "./loaded_turn.ts";

/** Reads chunks from the turns of a view, each turn once. */
export class ChunkReader {
  readonly #view: SessionView;
  readonly #size: ChunkSize;
  readonly #analyzer: Analyzer;
  readonly #pace: Pace;

  /** Creates a reader of a view, for the chunk size of its index. */
  constructor({ view, query, settings, pace }: {
    readonly view: SessionView;
    readonly query: Query;
    readonly settings: ChunkSize;
    readonly pace: Pace;
  }) {
    this.#view = view;
    this.#size = settings;
    this.#analyzer = analyzerOf(query.index.indexKey);
    this.#pace = pace;
  }

  /** Returns the chunks of documents. If turns must be read for them, it also reads the turns of `ahead`. */
  async of(
    documents: readonly LoadedDocument[],
    ahead: readonly LoadedDocument[],
  ): Promise<readonly Omit<FoundChunk, "score">[]> {
    const unread = documents.filter((document) => !this.#view.has(document.message.turn.id));
    const wanted = unread.length === 0 ? [] : [...unread, ...ahead];
    for (let from = 0; from < wanted.length; from += TURNS_PER_PAGE) {
      if (this.#pace.mustYield()) await this.#pace.rest();
      const some = wanted.slice(from, from + TURNS_PER_PAGE);
      await this.#view.read((transaction) => this.#readTurns(transaction, some));
    }
    return documents.map((document) => this.#chunk(document));
  }

  *#readTurns(transaction: ReadTransaction, documents: readonly LoadedDocument[]): Operation<void> {
    for (const { message: { turn } } of documents) yield* this.#view.turn(transaction, turn.id, turn.source);
  }

  #chunk({ message, range: { text: position, start, end } }: LoadedDocument): Omit<FoundChunk, "score"> {
    const { turn } = this.#view.known(message.turn.id, message.turn.source);
    const text = indexedTexts(turn, this.#analyzer)[position];
    const points = new CodePointMap(text?.text ?? "");
    if (text === undefined || end > points.length) {
      throw new IntegrityError("A chunk of the index is outside its message", {
        details: { table: "indexed_turns" },
      });
    }
    const range = { start, end, content: points.slice(start, end) };
    return { chunk: makeChunk(turn, text, range, this.#size), turn, text };
  }
}
