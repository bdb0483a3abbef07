/** Beside SQLite's full-text index, written by hand: porter stemming, the question's words OR-ed, ranked by BM25. */

import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../../mod.ts";
import { appendAll, historyOf, historyTexts, LIMITS, openHistory, QUESTION } from "../history.ts";
import { Directory } from "../directories.ts";
import { inTurn, type PeerQuestion } from "./peer.ts";

const TURNS = { full: 10_000, small: 40 } as const;
const TOP = 10;
const PEER = "SQLite FTS5 by hand";
const TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8).slice(
  0,
  500,
);

/** Turns, and their index beside them. */
export class FullText implements Disposable {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec(`CREATE TABLE turns (id INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
      CREATE VIRTUAL TABLE words USING fts5(content, content = turns, content_rowid = id, tokenize = 'porter')`);
  }

  add(texts: Iterable<string>): void {
    const turn = this.#database.prepare("INSERT INTO turns (content) VALUES (?)");
    const words = this.#database.prepare("INSERT INTO words (rowid, content) VALUES (?, ?)");
    this.#database.exec("BEGIN IMMEDIATE");
    for (const text of texts) words.run(turn.run(text).lastInsertRowid, text);
    this.#database.exec("COMMIT");
  }

  search(question: string): number {
    const match = question.match(/[\p{L}\p{N}_]+/gu)!.map((word) => `"${word}"`).join(" OR ");
    return this.#database.prepare(
      `SELECT turns.content FROM words JOIN turns ON turns.id = words.rowid WHERE words MATCH ?
      ORDER BY rank LIMIT ?`,
    ).all(match, TOP).length;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** See the module's documentation. */
export const FULL_TEXT: readonly PeerQuestion[] = [
  {
    work: "ten answers found in 10 000 turns",
    ours: "`search`",
    peer: PEER,
    terms:
      "index ready in both; ours also looks beside what it finds, for dates, and in scripts without spaces",
    run: async (size) => {
      using directory = new Directory();
      using fullText = new FullText(`${directory.path}/fts.db`);
      fullText.add(historyTexts(TURNS[size]));
      const { memory, conversation } = await openHistory(`${directory.path}/ours.db`, TURNS[size]);
      await using _ = memory;
      let checksum = 0;
      const times = await inTurn(size, () => {
        checksum += fullText.search(QUESTION);
      }, async () => {
        checksum += (await conversation.search(QUESTION, { topK: TOP })).length;
      });
      return { ...times, checksum };
    },
  },
  {
    work: "one turn appended to 1 000 and indexed",
    ours: "`append`, `indexBatch`",
    peer: PEER,
    terms: "durable: one commit by hand, two of ours",
    run: async (size) => {
      using directory = new Directory();
      const texts = [...historyTexts(TURNS[size] / 10)];
      using fullText = new FullText(`${directory.path}/fts.db`);
      fullText.add(texts);
      await using memory = await openMemory(`${directory.path}/ours.db`, { limits: LIMITS });
      const conversation = historyOf(memory);
      await appendAll(conversation, texts);
      await conversation.search(QUESTION);
      let checksum = 0;
      const times = await inTurn(size, () => fullText.add([TEXT]), async () => {
        await conversation.append([{ role: "user", content: TEXT }]);
        checksum += (await conversation.indexBatch(await conversation.snapshot())).processed;
      });
      return { ...times, checksum };
    },
  },
];
