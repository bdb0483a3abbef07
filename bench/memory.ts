/**
 * Goal: whether the memory of an assembly stays the same however long the conversation is. Non-goal: the memory of Deno
 * and the tokenizer, which is most of it. Each measurement is a process of its own; this one creates the stores. Seed 11.
 */
import { runProgram } from "./children.ts";
import { Directory } from "./directories.ts";
import { openHistory } from "./history.ts";
import { measureInTurn, type Question } from "./measure.ts";
import type { Assembled } from "./programs/assemble_peak.ts";

/** The row of the peak memory of an assembly. */
export const assemblePeak: Question = {
  name: "resident memory at its peak, assemble at 10 000 turns",
  floor: "the same at 1 000 turns",
  target: 1.2,
  run: async (size) => {
    const [rounds, small, large] = size === "full" ? [5, 1_000, 10_000] : [1, 40, 80];
    using directory = new Directory();
    const pathOf = (count: number): string => `${directory.path}/${count}.db`;
    for (const count of [small, large]) await (await openHistory(pathOf(count), count)).memory.close();
    let checksum = 0;
    const peakOf = async (count: number): Promise<number> => {
      const { peakBytes, tokens } = await assembled(pathOf(count));
      checksum += tokens;
      return peakBytes;
    };
    const pairs = await measureInTurn({ rounds }, () => peakOf(small), () => peakOf(large));
    return { ...pairs, unit: "bytes", checksum };
  },
};

async function assembled(path: string): Promise<Assembled> {
  return JSON.parse(await runProgram("assemble_peak.ts", [path])) as Assembled;
}
