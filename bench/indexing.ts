/**
 * Goal: the cost of indexing a conversation for the first time, in time and in bytes, and of deleting a turn from its
 * index, in a steady state: both sides have logs of full size. Non-goal: the speed of finding a word. Floors: SQLite's
 * own full-text index, the text itself, and durable upserts. Seeds 11 to 14.
 */
import { DatabaseSync } from "node:sqlite";
import { type Conversation, openMemory } from "../mod.ts";
import { Directory } from "./directories.ts";
import { appendAll, historyTexts, LIMITS } from "./history.ts";
import { fillLogByHand, fillOurLog, fillOurLogs } from "./logs.ts";
import { comparable, perUnit, type Question, roundOf, type Size, sum, timeInTurn } from "./measure.ts";
import { Floor } from "./stores.ts";
import { TextWriter } from "./texts.ts";

/** The number of turns in one transaction of either index. */
const BATCH = 32;

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };

async function indexAll(conversation: Conversation): Promise<void> {
  const snapshot = await conversation.snapshot();
  while ((await conversation.indexBatch(snapshot, {}, { batchSize: BATCH })).status !== "READY");
}

/** The row of first indexing. */
export const firstIndexing: Question = {
  name: "first indexing of 10 000 turns, each",
  floor: "SQLite FTS5 over the same text, as many turns a transaction",
  target: 25,
  run: async (size) => {
    const [rounds, turns] = size === "full" ? [10, 1_000] : [2, 40];
    using directory = new Directory();
    const path = `${directory.path}/ours.db`;
    await using memory = await openMemory(path, { limits: LIMITS });
    const conversation = memory.conversation(SCOPE);
    using floor = new FullTextIndex(`${directory.path}/floor.db`);
    await floor.fillLog(size);
    await conversation.create();
    await fillOurLog(path, size, memory);
    const texts = [...historyTexts(rounds * turns)];
    const some = (round: number): readonly string[] => texts.slice(round * turns, (round + 1) * turns);
    const pairs = await timeInTurn(
      { rounds, ready: (round) => appendAll(conversation, some(round)) },
      (round) => floor.add(some(round)),
      () => indexAll(conversation),
    );
    const { chunks } = await conversation.chunkIndex(await conversation.snapshot());
    return {
      ...perUnit(pairs, { floor: turns, ours: turns }),
      unit: "us",
      checksum: floor.count() + chunks.length,
    };
  },
};

/** SQLite's full-text index, without the texts. */
class FullTextIndex implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec("CREATE VIRTUAL TABLE texts USING fts5(content, content = '', tokenize = 'porter')");
  }

  fillLog(size: Size): Promise<void> {
    return fillLogByHand(this.#path, size, this.#database);
  }

  add(texts: readonly string[]): void {
    const insert = this.#database.prepare("INSERT INTO texts (content) VALUES (?)");
    for (let from = 0; from < texts.length; from += BATCH) {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const text of texts.slice(from, from + BATCH)) insert.run(text);
      this.#database.exec("COMMIT");
    }
  }

  count(): number {
    return this.#database.prepare("SELECT count(*) AS count FROM texts").get()!["count"] as number;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Creates a row of file sizes: turns, ids, checksums and index, compared with the text alone. */
function fileSize(
  name: string,
  count: Record<Size, number>,
  textsOf: (count: number) => Iterable<string>,
): Question {
  return {
    name,
    floor: "the UTF-8 bytes of its text",
    target: 8,
    run: async (size) => {
      using directory = new Directory();
      const path = `${directory.path}/ours.db`;
      const texts = [...textsOf(count[size])];
      const memory = await openMemory(path, { limits: LIMITS });
      const conversation = memory.conversation(SCOPE);
      await appendAll(conversation, texts);
      await indexAll(conversation);
      await memory.close();
      const bytes = sum(texts.map(bytesOf));
      const { size: fileBytes } = await Deno.stat(path);
      return {
        floor: [roundOf([bytes])],
        ours: [roundOf([fileBytes])],
        unit: "bytes",
        checksum: bytes + await textBytesOf(path),
      };
    },
  };
}

/** Returns the bytes of all texts in a store. */
async function textBytesOf(path: string): Promise<number> {
  await using memory = await openMemory(path, { limits: LIMITS });
  let bytes = 0;
  for await (const { messages } of memory.conversation(SCOPE).turns()) bytes += bytesOf(messages[0]!.content);
  return bytes;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The row of file size for English. */
export const englishFileSize: Question = fileSize(
  "file with index, 10 000 turns of English",
  { full: 10_000, small: 200 },
  historyTexts,
);

/** The row of file size for Chinese. */
export const chineseFileSize: Question = fileSize(
  "file with index, 3 000 turns of Chinese",
  { full: 3_000, small: 200 },
  (count) => {
    const writer = new TextWriter(13);
    return Array.from({ length: count }, () => writer.chinese(200));
  },
);

/** The row of a deletion from an index. */
export const deleteIndexedTurn: Question = {
  name: "delete of one indexed turn of 500 characters",
  floor: "two hand-written durable upserts",
  target: 12,
  run: async (size) => {
    const effort = size === "full" ? { rounds: 9, repetitions: 40 } : { rounds: 2, repetitions: 5 };
    using directory = new Directory();
    const path = `${directory.path}/ours.db`;
    await using memory = await openMemory(path, { limits: LIMITS });
    using floor = new Floor(`${directory.path}/floor.db`, 2_000);
    const conversation = memory.conversation(SCOPE);
    const writer = new TextWriter(14);
    const turnIds = (await Promise.all(
      Array.from({ length: effort.rounds * effort.repetitions * 2 }, () => {
        return conversation.append([{ role: "user", content: writer.identifiers(500) }]);
      }),
    )).map(({ turnId }) => turnId);
    await indexAll(conversation);
    await floor.fillLog(size);
    await fillOurLogs(path, size, memory);
    let revision = await conversation.revision();
    let postings = 0;
    const pairs = await timeInTurn(effort, (number) => {
      floor.put(number % 2_000, 1_000_000 + number);
      floor.put((number + 7) % 2_000, 2_000_000 + number);
    }, async (number) => {
      const key = turnIds[number * 2]!;
      const receipt = await conversation.delete({ kind: "turn", key, expectedRevision: revision++ });
      postings += receipt.erased.postings;
    });
    return { ...pairs, unit: "us", checksum: postings + floor.sumOfRevisions(), ...comparable(pairs, 2) };
  },
};
