/** Pairs of programs: a small set for every run of the tests, all of them for the long campaign. */
import type { Pair } from "./protocol_model.ts";
import type { Journals } from "./state.ts";

type Programs = readonly [string, string];

/** Together they put, delete, expire, read, back up, restore and put old mains back, in every order that has a rule. */
const TEST_PROGRAMS: readonly Programs[] = [
  ["put, delete", "put, read"],
  ["delete, put", "delete"],
  ["delete, read", "delete, read"],
  ["expire, put", "expire, put"],
  ["expire, put, expire", "read"],
  ["expire, put", "delete, read"],
  ["put, put", "put, delete"],
  ["put, put", "read, read"],
  ["backup, restore 0 to 1", "put, delete"],
  ["backup, restore 0 to 1", "expire, put"],
  ["backup, restore 0 to 1", "read, read"],
  ["backup, restore 0 to 1, put", "open, put"],
  ["backup, expire, restore 0 to 1", "put, open, put"],
  ["backup, restore 0 to 1", "backup, restore 0 to 1"],
  ["backup, restore 0 to 1, put", "backup, restore 0 to 2, put"],
  ["backup, restore 0 to 1, restore 0 to 1", "open, put"],
  ["backup, restore 0 to 1, put, restore 0 to 2, put", "read"],
  ["backup, put, expire, put, expire, restore 0 to 1", ""],
  ["backup, put, backup, restore 0 to 1, expire, restore 1 to 2, read", ""],
  ["label, erase", "put, read"],
  ["label, erase, put", "erase"],
  ["label, put", "erase, read"],
  ["label, unlabel, erase", "read"],
  ["backup, label, erase, restore 0 to 1, read", ""],
  ["label, backup, unlabel, erase, restore 0 to 1, read", ""],
  ["backup, restore 0 to 1", "label, erase"],
  ["backup, label, put back 0, erase", "put"],
  ["backup, put back 0, delete", "put, delete"],
  ["backup, put back 0", "delete, open, put"],
  ["backup, delete, put back 0, put", "put"],
  ["backup, expire, put, expire, put back 0, put", ""],
];

/** Anywhere in a pair a crash and a failing commit. */
export const TEST_PAIRS: readonly Pair[] = TEST_PROGRAMS.map((programs) => ({
  programs,
  crashes: 1,
  failures: 1,
}));

/** Two of each, where nobody restores. */
export const HARDER_TEST_PAIRS: readonly Pair[] = TEST_PROGRAMS
  .filter((programs) => !programs.join().includes("restore"))
  .map((programs) => ({ programs, crashes: 2, failures: 2 }));

/** Smaller ones, for questions that need the whole graph of states in memory. */
export const ENDING_PAIRS: readonly Pair[] = [
  { programs: ["delete, read", "put, delete"], crashes: 1, failures: 1 },
  { programs: ["expire, read", "expire, put"], crashes: 1, failures: 1 },
  { programs: ["backup, restore 0 to 1", "delete, read"], crashes: 1, failures: 1 },
  { programs: ["backup, restore 0 to 1, put", "backup, restore 0 to 1, delete"], crashes: 1, failures: 0 },
];

/** Every two of these meet in the campaign. */
const CAMPAIGN_PROGRAMS: readonly string[] = [
  "put, delete",
  "delete",
  "expire, put",
  "expire, put, expire",
  "put, put",
  "read, read",
  "delete, read",
  "expire, read",
  "label, erase",
  "label, erase, put",
  "unlabel, erase",
  "backup, label, erase, restore 0 to 1",
  "backup, expire, put",
  "backup, delete, restore 0 to 1",
  "backup, put, restore 0 to 1",
  "backup, expire, restore 0 to 1, put",
  "backup, restore 0 to 2, put",
  "open, read",
  "put, open, put",
  "delete, open, delete",
  "expire, open, put",
  "backup, delete, put back 0, put",
  "backup, expire, put, put back 0, put",
  "backup, restore 0 to 1, restore 0 to 1, put",
  "backup, restore 0 to 1, put, restore 0 to 2, put",
  "backup, put, backup, restore 0 to 1, expire, restore 1 to 2, read",
];

/**
 * All pairs for the campaign. The states of a pair grow with the product of the lengths of its programs and with the square
 * of each crash and failure allowed, so that long pairs get one of each, and the longest none.
 */
export function campaignPairs(
  crashes: number,
  failures: number,
  journals: Journals,
): readonly Pair[] {
  return CAMPAIGN_PROGRAMS.flatMap((first, place) =>
    CAMPAIGN_PROGRAMS.slice(place).map((second): Pair => {
      const most = mishapsMax(first, second);
      return {
        programs: [first, second],
        crashes: Math.min(crashes, most),
        failures: Math.min(failures, most),
        journals,
      };
    })
  );
}

function mishapsMax(first: string, second: string): number {
  const size = weight(first) * weight(second);
  return size <= 24 ? 2 : size <= 81 ? 1 : 0;
}

/** About how many steps: a restore has as many as three other operations. */
function weight(program: string): number {
  return program.split(",").reduce((sum, operation) => sum + (operation.includes("restore") ? 3 : 1), 0);
}
