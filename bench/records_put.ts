/**
 * Goal: the cost of a durable, checked `records.put` compared with the plainest durable upsert, alone and among 64, in a
 * steady state: both sides have logs of full size. Non-goal: throughput of several processes. Seed 2.
 */
import { fillOurLog } from "./logs.ts";
import {
  type Answer,
  comparable,
  perUnit,
  type Question,
  seeded,
  type Size,
  sum,
  timeInTurn,
} from "./measure.ts";
import type { Memory } from "../mod.ts";
import { Directory } from "./directories.ts";
import { factOf, Floor, identityOf, openOurs, TENANT } from "./stores.ts";

const ROWS = 2_000;
const GROUP = 64;

/** Two stores with equal rows. */
interface Stores {
  readonly floor: Floor;
  readonly memory: Memory;
  /** The revisions of our rows. */
  readonly revisions: number[];
}

async function withStores(size: Size, use: (stores: Stores) => Promise<Answer>): Promise<Answer> {
  using directory = new Directory();
  const path = `${directory.path}/ours.db`;
  const { memory, revisions } = await openOurs(path, ROWS);
  await using _ = memory;
  using floor = new Floor(`${directory.path}/floor.db`, ROWS);
  await floor.fillLog(size);
  await fillOurLog(path, size, memory);
  return await use({ floor, memory, revisions });
}

/** Puts the next revision of a fact. */
async function put({ memory, revisions }: Stores, index: number, number: number): Promise<void> {
  const options = { expectedRevision: revisions[index]!, ttl: 86_400 };
  revisions[index] = await memory.records.put(identityOf(index), factOf(number), options);
}

/** The row of a single put. */
export const lonePut: Question = {
  name: "lone records.put, durable",
  floor: "hand-written BEGIN IMMEDIATE, one upsert, COMMIT, FULL",
  target: 1.6,
  run: (size) =>
    withStores(size, async (stores) => {
      const effort = size === "full" ? { rounds: 9, repetitions: 100 } : { rounds: 2, repetitions: 10 };
      const random = seeded(2);
      const indexes = Array.from({ length: effort.rounds * effort.repetitions }, () => {
        return Math.floor(random() * ROWS);
      });
      const pairs = await timeInTurn(
        effort,
        (number) => stores.floor.put(indexes[number]!, ROWS + number),
        (number) => put(stores, indexes[number]!, ROWS + number),
      );
      const checksum = sum(stores.revisions) + stores.floor.sumOfRevisions();
      return { ...pairs, unit: "us", checksum, ...comparable(pairs) };
    }),
};

/** The row of one of 64 concurrent puts. */
export const groupedPut: Question = {
  name: "64 concurrent records.put, each",
  floor: "the same hand-written durable upsert",
  target: 0.15,
  run: (size) =>
    withStores(size, async (stores) => {
      const effort = size === "full" ? { rounds: 9, repetitions: 40 } : { rounds: 2, repetitions: 2 };
      const firstOf = (number: number): number => (number * GROUP * 7) % (ROWS - GROUP);
      const group = Array.from({ length: GROUP }, (_, offset) => offset);
      const together = await timeInTurn(
        effort,
        (number) => stores.floor.put(firstOf(number), ROWS + number),
        (number) =>
          Promise.all(group.map((offset) => put(stores, firstOf(number) + offset, ROWS + number + offset))),
      );
      const pairs = perUnit(together, { floor: 1, ours: GROUP });
      const checksum = sum(stores.revisions) + stores.floor.sumOfRevisions();
      return { ...pairs, unit: "us", checksum, ...comparable(pairs) };
    }),
};

/** The row of a transaction, compared with a put of ours instead of the hand-written one. */
export const transaction: Question = {
  name: "a transaction of one append and three puts",
  floor: "a lone records.put of the same store",
  target: 2.5,
  run: (size) =>
    withStores(size, async (stores) => {
      const effort = size === "full" ? { rounds: 9, repetitions: 100 } : { rounds: 2, repetitions: 10 };
      const { memory, revisions } = stores;
      const scope = { tenantId: TENANT, sessionId: "ticket-7" };
      const step = async (number: number): Promise<void> => {
        const indexes = [0, 1, 2].map((offset) => (number * 3 + offset) % (ROWS / 2));
        const [, ...made] = await memory.transaction((transaction) => {
          transaction.append(scope, [{ role: "assistant", content: factOf(number).text }]);
          for (const index of indexes) {
            const options = { expectedRevision: revisions[index]!, ttl: 86_400 };
            transaction.put(identityOf(index), factOf(ROWS + number), options);
          }
        });
        for (const [place, index] of indexes.entries()) revisions[index] = made[place] as number;
      };
      const pairs = await timeInTurn(
        effort,
        (number) => put(stores, ROWS / 2 + number % (ROWS / 2), ROWS + number),
        step,
      );
      return { ...pairs, unit: "us", checksum: sum(revisions), ...comparable(pairs) };
    }),
};
