/**
 * Goal: what a journal's append costs next to the plainest durable insert of the same entry, and whether its cost stays
 * the same as the journal grows. Non-goal: reading. Seedless: all entries are alike.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Journal, type Memory, openMemory } from "../mod.ts";
import { Directory } from "./directories.ts";
import { fillLogByHand, fillOurLog } from "./logs.ts";
import { comparable, type Effort, type Question, type Size, timeInTurn } from "./measure.ts";

const LIMITS = { bytesPerScope: 1_000_000_000 };
const TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8).slice(
  0,
  500,
);
const SCOPE = { tenantId: "orchard", sessionId: "session-1" };

/** The entry of a number: what an agent's protocol would keep of a message. */
function entryOf(number: number): { uuid: string; json: { type: string; uuid: string; content: string } } {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return { uuid, json: { type: "user", uuid, content: TEXT } };
}

const effortFor = (size: Size): Required<Pick<Effort, "rounds" | "repetitions">> =>
  size === "full" ? { rounds: 9, repetitions: 60 } : { rounds: 2, repetitions: 5 };

/** A table by hand: WAL, FULL, unique places and uuids, one insert a transaction. */
class InsertFloor implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insert: StatementSync;

  constructor(path: string, count: number) {
    this.#path = path;
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec(
      `CREATE TABLE entries (session TEXT NOT NULL, place INTEGER NOT NULL, uuid TEXT, json TEXT NOT NULL,
      PRIMARY KEY (session, place)) STRICT; CREATE UNIQUE INDEX entries_by_uuid ON entries (session, uuid)`,
    );
    this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.#database.prepare("COMMIT");
    this.#insert = this.#database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?)");
    this.#begin.run();
    for (let number = 0; number < count; number++) this.#add(number);
    this.#commit.run();
  }

  /** Brings its log to full size; until then its commits cost more than later. */
  fillLog(size: Size): Promise<void> {
    return fillLogByHand(this.#path, size, this.#database);
  }

  /** One durable insert. */
  insert(number: number): void {
    this.#begin.run();
    this.#add(number);
    this.#commit.run();
  }

  #add(number: number): void {
    const { uuid, json } = entryOf(number);
    this.#insert.run(SCOPE.sessionId, number, uuid, JSON.stringify(json));
  }

  /** How many entries it has. */
  count(): number {
    return this.#database.prepare("SELECT count(*) AS count FROM entries").get()!["count"] as number;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

async function fill(journal: Journal, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    await journal.append(
      Array.from({ length: Math.min(1_000, count - from) }, (_, at) => entryOf(from + at)),
    );
  }
}

function open(directory: Directory): Promise<Memory> {
  return openMemory(`${directory.path}/ours.db`, { limits: LIMITS });
}

/** The row of one entry by itself. */
export const loneJournalAppend: Question = {
  name: "lone journal append of 500 characters, durable",
  floor: "hand-written BEGIN IMMEDIATE, one insert of the entry, COMMIT, FULL",
  target: 1.8,
  run: async (size) => {
    using directory = new Directory();
    await using memory = await open(directory);
    const journal = memory.journal(SCOPE);
    await fill(journal, 100);
    using floor = new InsertFloor(`${directory.path}/floor.db`, 100);
    await floor.fillLog(size);
    await fillOurLog(`${directory.path}/ours.db`, size, memory);
    const pairs = await timeInTurn(
      effortFor(size),
      (index) => floor.insert(100 + index),
      (index) => journal.append([entryOf(100 + index)]),
    );
    const [newest] = await Array.fromAsync(journal.read({ last: 1 }));
    return { ...pairs, unit: "us", checksum: newest!.place + floor.count(), ...comparable(pairs) };
  },
};

/** The row of appends as the journal grows. */
export const journalAppendGrowth: Question = {
  name: "journal append at 10 000 entries",
  floor: "journal append at 100 entries",
  target: 1.2,
  run: async (size) => {
    using directory = new Directory();
    await using memory = await open(directory);
    const [few, many] = size === "full" ? [100, 10_000] : [10, 100];
    const [small, large] = [memory.journal(SCOPE), memory.journal({ ...SCOPE, sessionId: "session-2" })];
    await fill(small, few!);
    await fill(large, many!);
    await fillOurLog(`${directory.path}/ours.db`, size, memory);
    let checksum = 0;
    const pairs = await timeInTurn(
      effortFor(size),
      async (index) => checksum += await small.append([entryOf(1_000_000 + index)]),
      async (index) => checksum += await large.append([entryOf(1_000_000 + index)]),
    );
    return { ...pairs, unit: "us", checksum };
  },
};
