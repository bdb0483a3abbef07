/** The searchers that are compared: this store with its two profiles, and SQLite's full-text search. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Memory, openMemory, turn } from "../../mod.ts";
import type { SetConversation, SetTurn } from "./conversation_set.ts";

/** The number of turns that are ranked for each question; others count as not found. */
export const DEPTH = 50;

/** The number of hits that are requested, so that they cover enough turns: a long turn has several. */
const HITS = 4 * DEPTH;

/** A searcher that ranks turns. */
export interface Searcher extends AsyncDisposable {
  readonly name: string;
  /** Returns the ids of the best turns, best first, without duplicates, at most {@linkcode DEPTH}. */
  search(question: string): Promise<readonly string[]>;
}

/** Opens the searchers of a conversation. */
export async function openSearchers({ name, turns }: SetConversation): Promise<readonly Searcher[]> {
  const scope = { tenantId: "quality", sessionId: name };
  const memory = await openMemory(":memory:");
  await storeTurns(memory, scope, turns);
  const profile = (name: "reference" | "holdfast"): Searcher => ({
    name,
    search: async (question) => {
      const hits = await memory.conversation(scope).search(question, { topK: HITS, profile: name });
      return distinct(hits.map(({ source }) => source.turnId));
    },
    [Symbol.asyncDispose]: () => memory.close(),
  });
  return [profile("reference"), profile("holdfast"), new FullTextSearcher(turns)];
}

/** Stores each turn, and then its edit, as a harness would. */
async function storeTurns(
  memory: Memory,
  scope: { readonly tenantId: string; readonly sessionId: string },
  turns: readonly SetTurn[],
): Promise<void> {
  const conversation = memory.conversation(scope);
  let expectedRevision = await conversation.create();
  for (const { id, at, messages, before } of turns) {
    for (const [index, version] of [before, messages].filter((some) => some !== null).entries()) {
      const stored = turn({ turnId: id, scope, messages: version, revision: index + 1, timestamp: at });
      const operationId = `${id}.${index + 1}`;
      expectedRevision = await conversation.putTurn(stored, { operationId, expectedRevision });
    }
  }
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].slice(0, DEPTH);
}

const CREATE_TURNS =
  `CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')`;
const INSERT_TURN = `INSERT INTO turns (id, text) VALUES (?, ?)`;
const SELECT_BEST = `SELECT id FROM turns WHERE turns MATCH ? ORDER BY bm25(turns), rowid LIMIT ${DEPTH}`;

/** FTS5 with the Porter stemmer and the words of the question OR-ed, as a harness would use it. */
class FullTextSearcher implements Searcher {
  readonly name = "fts5";
  readonly #database = new DatabaseSync(":memory:");
  readonly #select: StatementSync;

  constructor(turns: readonly SetTurn[]) {
    this.#database.exec(CREATE_TURNS);
    const insert = this.#database.prepare(INSERT_TURN);
    for (const { id, messages } of turns) insert.run(id, messages.map(({ content }) => content).join("\n"));
    this.#select = this.#database.prepare(SELECT_BEST);
  }

  search(question: string): Promise<readonly string[]> {
    const words = question.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    if (words.length === 0) return Promise.resolve([]);
    const rows = this.#select.all(words.map((word) => `"${word}"`).join(" OR "));
    return Promise.resolve(rows.map(({ id }) => id as string));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }
}
