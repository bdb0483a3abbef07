/**
 * Goal: what a durable, checked, counted `records.put` costs beside the plainest durable upsert, alone and among 64.
 * Non-goal: throughput of several processes. Seed 2.
 */
import { comparable, median, type Question, seeded, timeUs } from "./measure.ts";
import { Directory, factOf, Floor, identityOf, openOurs } from "./stores.ts";

const ROWS = 2_000;
const GROUP = 64;

/** The row of a put by itself. */
export const lonePut: Question = {
  name: "lone records.put, durable",
  floor: "hand-written BEGIN IMMEDIATE, one upsert, COMMIT, FULL",
  target: 1.6,
  run: async (size) => {
    const [rounds, puts] = size === "full" ? [9, 100] : [2, 10];
    using directory = new Directory();
    const { memory, revisions } = await openOurs(`${directory.path}/ours.db`, ROWS);
    await using _ = memory;
    using floor = new Floor(`${directory.path}/floor.db`, ROWS);
    const random = seeded(2);
    const floorUs: number[] = [];
    const oursUs: number[] = [];
    let count = ROWS;
    for (let round = 0; round < rounds; round++) {
      const one: number[] = [];
      const two: number[] = [];
      for (let put = 0; put < puts; put++) {
        const index = Math.floor(random() * ROWS);
        count++;
        one.push(await timeUs(() => floor.put(index, count)));
        two.push(
          await timeUs(async () => {
            const options = { expected: revisions[index]!, ttl: 86_400 };
            revisions[index] = await memory.records.put(identityOf(index), factOf(count), options);
          }),
        );
      }
      floorUs.push(median(one));
      oursUs.push(median(two));
    }
    return { floorUs, oursUs, checksum: sum(revisions), ...comparable(floorUs) };
  },
};

/** The row of 64 puts at once, each. */
export const groupedPut: Question = {
  name: "64 concurrent records.put, each",
  floor: "the same hand-written durable upsert",
  target: 0.15,
  run: async (size) => {
    const [rounds, groups] = size === "full" ? [9, 20] : [2, 2];
    using directory = new Directory();
    const { memory, revisions } = await openOurs(`${directory.path}/ours.db`, ROWS);
    await using _ = memory;
    using floor = new Floor(`${directory.path}/floor.db`, ROWS);
    const floorUs: number[] = [];
    const oursUs: number[] = [];
    let count = ROWS;
    for (let round = 0; round < rounds; round++) {
      const one: number[] = [];
      const two: number[] = [];
      for (let group = 0; group < groups; group++) {
        const first = (group * GROUP * 7) % (ROWS - GROUP);
        for (let put = 0; put < 4; put++) one.push(await timeUs(() => floor.put(first + put, ++count)));
        two.push(
          await timeUs(() =>
            Promise.all(Array.from({ length: GROUP }, async (_, offset) => {
              const index = first + offset;
              const options = { expected: revisions[index]!, ttl: 86_400 };
              revisions[index] = await memory.records.put(identityOf(index), factOf(count + offset), options);
            }))
          ) / GROUP,
        );
        count += GROUP;
      }
      floorUs.push(median(one));
      oursUs.push(median(two));
    }
    return { floorUs, oursUs, checksum: sum(revisions), ...comparable(floorUs) };
  },
};

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => (total + number) >>> 0, 0);
}
