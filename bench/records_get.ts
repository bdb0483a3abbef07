/**
 * Goal: the time that `records.get` adds to the SELECT that it runs: identity, expiry, checksum, JSON, and the kind's
 * schema. Non-goal: cold caches; all rows fit into SQLite's page cache. Seed 1.
 */
import { Directory } from "./directories.ts";
import { perUnit, type Question, seeded, timeInTurn } from "./measure.ts";
import { Floor, identityOf, openOurs } from "./stores.ts";

const ROWS = 2_000;

/** The row of a get. */
export const recordsGet: Question = {
  name: "records.get",
  floor: "the bare prepared SELECT",
  target: 1.5,
  run: async (size) => {
    const [rounds, reads] = size === "full" ? [15, 20_000] : [3, 200];
    using directory = new Directory();
    const { memory } = await openOurs(`${directory.path}/ours.db`, ROWS);
    await using _ = memory;
    using floor = new Floor(`${directory.path}/floor.db`, ROWS);
    const random = seeded(1);
    const indexes = Array.from({ length: reads }, () => Math.floor(random() * ROWS));
    let checksum = 0;
    const pairs = await timeInTurn({ rounds }, () => {
      for (const index of indexes) checksum = (checksum + (floor.get(index)[2] as string).length) >>> 0;
    }, async () => {
      for (const index of indexes) {
        checksum = (checksum + (await memory.records.get(identityOf(index)))!.value.text.length) >>> 0;
      }
    });
    return { ...perUnit(pairs, { floor: reads, ours: reads }), unit: "us", checksum };
  },
};
