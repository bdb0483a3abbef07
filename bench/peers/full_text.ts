/**
 * Compares with SQLite's full-text index, used by hand: Porter stemming, the words of the question without function words
 * OR-ed, ranked by BM25, and statements that are prepared once.
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { openMemory } from "../../mod.ts";
import {
  appendAll,
  FREQUENT_QUESTION,
  historyOf,
  historyTexts,
  LIMITS,
  openHistory,
  QUESTION,
} from "../history.ts";
import { Directory } from "../directories.ts";
import { fillLogByHand, fillOurLog } from "../logs.ts";
import type { Size } from "../measure.ts";
import { inTurn, type PeerQuestion } from "./peer.ts";

const TURNS = { full: 10_000, small: 40 } as const;
const TOP = 10;
const PEER = "SQLite FTS5 by hand";
const TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8).slice(
  0,
  500,
);

/** Function words, which are left out of a question because they are in every text and cost the most to rank. */
const FUNCTION_WORDS = new Set(
  "a an and are as at be by for from how in is it of on or that the this to was what when where which who why with"
    .split(" "),
);

/** A table of turns with its full-text index. */
export class FullText implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insertTurn: StatementSync;
  readonly #insertWords: StatementSync;
  readonly #search: StatementSync;

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec(`CREATE TABLE turns (id INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
      CREATE VIRTUAL TABLE words USING fts5(content, content = turns, content_rowid = id, tokenize = 'porter')`);
    this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.#database.prepare("COMMIT");
    this.#insertTurn = this.#database.prepare("INSERT INTO turns (content) VALUES (?)");
    this.#insertWords = this.#database.prepare("INSERT INTO words (rowid, content) VALUES (?, ?)");
    this.#search = this.#database.prepare(
      `SELECT turns.content FROM words JOIN turns ON turns.id = words.rowid
      WHERE words MATCH ? ORDER BY rank LIMIT ?`,
    );
  }

  /** Brings its log to full size. */
  fillLog(size: Size): Promise<void> {
    return fillLogByHand(this.#path, size, this.#database);
  }

  add(texts: Iterable<string>): void {
    this.#begin.run();
    for (const text of texts) this.#insertWords.run(this.#insertTurn.run(text).lastInsertRowid, text);
    this.#commit.run();
  }

  count(): number {
    return this.#database.prepare("SELECT count(*) AS count FROM turns").get()!["count"] as number;
  }

  search(question: string): number {
    const words = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu)!;
    const asked = words.filter((word) => !FUNCTION_WORDS.has(word));
    const match = (asked.length > 0 ? asked : words).map((word) => `"${word}"`).join(" OR ");
    return this.#search.all(match, TOP).length;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Creates the row of one question. */
function finding(work: string, question: string): PeerQuestion {
  return {
    work,
    ours: "`search`",
    peer: PEER,
    terms:
      "index ready in both, function words left out of both; ours also searches neighbouring turns, dates, and scripts without spaces",
    run: async (size) => {
      using directory = new Directory();
      using fullText = new FullText(`${directory.path}/fts.db`);
      fullText.add(historyTexts(TURNS[size]));
      const { memory, conversation } = await openHistory(`${directory.path}/ours.db`, TURNS[size]);
      await using _ = memory;
      let checksum = 0;
      const times = await inTurn(size, () => {
        checksum += fullText.search(question);
      }, async () => {
        checksum += (await conversation.search(question, { topK: TOP })).length;
      });
      return { ...times, checksum };
    },
  };
}

/** The rows compared with SQLite's full-text index. */
export const FULL_TEXT: readonly PeerQuestion[] = [
  finding("ten answers found in 10 000 turns, some words rare", QUESTION),
  finding("ten answers found in 10 000 turns, words in most", FREQUENT_QUESTION),
  {
    work: "one turn appended to 1 000 and indexed",
    ours: "`append`, `indexBatch`",
    peer: PEER,
    terms: "durable: one commit by hand, two of ours, logs of full size",
    run: async (size) => {
      using directory = new Directory();
      const texts = [...historyTexts(TURNS[size] / 10)];
      using fullText = new FullText(`${directory.path}/fts.db`);
      fullText.add(texts);
      const path = `${directory.path}/ours.db`;
      await using memory = await openMemory(path, { limits: LIMITS });
      const conversation = historyOf(memory);
      await appendAll(conversation, texts);
      await conversation.search(QUESTION);
      await fullText.fillLog(size);
      await fillOurLog(path, size, memory);
      let checksum = 0;
      const times = await inTurn(size, () => fullText.add([TEXT]), async () => {
        await conversation.append([{ role: "user", content: TEXT }]);
        checksum += (await conversation.indexBatch(await conversation.snapshot())).processed;
      });
      return { ...times, checksum: checksum + fullText.count() };
    },
  },
];
