/**
 * Goal: what a conversation costs compared with the plainest durable upsert, and whether its cost stays the same as the
 * history grows, in a steady state: both sides have logs of full size. Non-goal: retrieval and assembly, which have
 * programs of their own. No seed: all turns are alike.
 */
import { type Conversation, type Memory, openMemory, turn } from "../mod.ts";
import { Directory } from "./directories.ts";
import { fillOurLog, fillOurLogs } from "./logs.ts";
import { comparable, type Effort, type Question, type Size, timeInTurn } from "./measure.ts";
import { factOf, Floor, identityOf } from "./stores.ts";

const LIMITS = { turnsPerScope: 1_000_000, bytesPerScope: 1_000_000_000 };
const TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8).slice(
  0,
  500,
);

/** Revisions from here on differ from the floor's first ones, because SQLite does not write a page that is unchanged. */
const CHANGED = 1_000_000;

/** A conversation with some turns, and the state that is needed to add more. */
class FilledConversation {
  readonly conversation: Conversation;
  readonly #session: string;
  revision = 0;
  turns = 0;

  constructor(memory: Memory, session: string) {
    this.#session = session;
    this.conversation = memory.conversation({ tenantId: "acme", sessionId: session });
  }

  /** Returns the number of turns in the store. */
  async count(): Promise<number> {
    return (await this.conversation.snapshot()).turnCount;
  }

  async fill(count: number): Promise<void> {
    this.revision = await this.conversation.create();
    const puts: Promise<number>[] = [];
    for (let index = 0; index < count; index++) {
      puts.push(this.put());
      if (puts.length === 64) await Promise.all(puts.splice(0));
    }
    await Promise.all(puts);
  }

  /** Puts a turn of 500 characters, and assumes that it succeeds. */
  put(): Promise<number> {
    const number = this.turns++;
    const value = turn({
      turnId: `turn-${number}`,
      scope: { tenantId: "acme", sessionId: this.#session },
      messages: [{ messageId: `message-${number}`, role: "user", content: TEXT }],
      timestamp: "2026-03-01T09:00:00Z",
    });
    return this.conversation.putTurn(value, {
      operationId: `put-${number}`,
      expectedRevision: this.revision++,
    });
  }
}

async function openConversations(
  directory: Directory,
  counts: readonly number[],
): Promise<{ memory: Memory; conversations: FilledConversation[] }> {
  const memory = await openMemory(`${directory.path}/ours.db`, { limits: LIMITS });
  const conversations = counts.map((_, index) => new FilledConversation(memory, `session-${index}`));
  for (const [index, filled] of conversations.entries()) await filled.fill(counts[index]!);
  return { memory, conversations };
}

const countsFor = (size: Size): [small: number, large: number] => size === "full" ? [100, 10_000] : [10, 100];

const effortFor = (size: Size): Required<Pick<Effort, "rounds" | "repetitions">> =>
  size === "full" ? { rounds: 9, repetitions: 60 } : { rounds: 2, repetitions: 5 };

/** The row of a turn by itself. */
export const lonePutTurn: Question = {
  name: "lone putTurn of 500 characters, durable",
  floor: "hand-written BEGIN IMMEDIATE, one upsert, COMMIT, FULL",
  target: 2.4,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversations: [filled] } = await openConversations(directory, [100]);
    await using _ = memory;
    using floor = new Floor(`${directory.path}/floor.db`, 2_000);
    await floor.fillLog(size);
    await fillOurLog(`${directory.path}/ours.db`, size, memory);
    const pairs = await timeInTurn(
      effortFor(size),
      (index) => floor.put(index % 2_000, CHANGED + index),
      () => filled!.put(),
    );
    return {
      ...pairs,
      unit: "us",
      checksum: await filled!.count() + floor.sumOfRevisions(),
      ...comparable(pairs),
    };
  },
};

/** The row of snapshots as the history grows. */
export const snapshotGrowth: Question = {
  name: "snapshot() at 10 000 turns",
  floor: "snapshot() at 100 turns",
  target: 1.2,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversations: [small, large] } = await openConversations(directory, countsFor(size));
    await using _ = memory;
    let checksum = 0;
    const take = async (filled: FilledConversation): Promise<void> => {
      for (let again = 0; again < 20; again++) checksum += (await filled.conversation.snapshot()).turnCount;
    };
    const pairs = await timeInTurn(effortFor(size), () => take(small!), () => take(large!));
    return { ...pairs, unit: "us", checksum };
  },
};

/** The row of turns as the history grows. */
export const putTurnGrowth: Question = {
  name: "putTurn at 10 000 turns",
  floor: "putTurn at 100 turns",
  target: 1.2,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversations: [small, large] } = await openConversations(directory, countsFor(size));
    await using _ = memory;
    await fillOurLog(`${directory.path}/ours.db`, size, memory);
    const pairs = await timeInTurn(effortFor(size), () => small!.put(), () => large!.put());
    return { ...pairs, unit: "us", checksum: await small!.count() + await large!.count() };
  },
};

/** The row of a deletion with its receipt. */
export const deleteTurn: Question = {
  name: "delete of one turn, receipt included, not indexed",
  floor: "two hand-written durable upserts",
  target: 2.5,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversations: [filled] } = await openConversations(directory, [1_000]);
    await using _ = memory;
    using floor = new Floor(`${directory.path}/floor.db`, 2_000);
    await floor.fillLog(size);
    await fillOurLogs(`${directory.path}/ours.db`, size, memory);
    let checksum = 0;
    const pairs = await timeInTurn(effortFor(size), (index) => {
      floor.put(index % 2_000, CHANGED + index);
      floor.put((index + 7) % 2_000, 2 * CHANGED + index);
    }, async (index) => {
      const expectedRevision = filled!.revision++;
      const receipt = await filled!.conversation.delete({
        kind: "turn",
        key: `turn-${index}`,
        expectedRevision,
      });
      checksum += receipt.sequence;
    });
    return { ...pairs, unit: "us", checksum: checksum + floor.sumOfRevisions(), ...comparable(pairs, 2) };
  },
};

/** The row of a response cache hit. */
export const replayHit: Question = {
  name: "cacheGet hit at 10 000 turns",
  floor: "records.get",
  target: 4,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversations: [filled] } = await openConversations(directory, [countsFor(size)[1]]);
    await using _ = memory;
    await memory.records.put(identityOf(1), factOf(1), { expectedRevision: null, ttl: 86_400 });
    const snapshot = await filled!.conversation.snapshot();
    await filled!.conversation.cachePut(snapshot, "answer", { text: TEXT });
    let checksum = 0;
    const pairs = await timeInTurn(effortFor(size), async () => {
      for (let again = 0; again < 20; again++) {
        checksum += (await memory.records.get(identityOf(1)))!.revision;
      }
    }, async () => {
      for (let again = 0; again < 20; again++) {
        if ((await filled!.conversation.cacheGet(snapshot, "answer")) !== null) checksum++;
      }
    });
    return { ...pairs, unit: "us", checksum };
  },
};
