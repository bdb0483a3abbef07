/**
 * Goal: whether an assembly's memory stays the same however long the conversation is. Non-goal: what Deno and the
 * tokenizer take by themselves, which is most of it. Each is a process of its own; the first makes the store. Seed 11.
 */
import { openHistory } from "./history.ts";
import type { Question } from "./measure.ts";
import { Directory } from "./stores.ts";

/** The row. */
export const assemblePeak: Question = {
  name: "resident memory at its peak, assemble at 10 000 turns",
  floor: "the same at 1 000 turns",
  target: 1.2,
  run: async (size) => {
    const [rounds, small, large] = size === "full" ? [5, 1_000, 10_000] : [1, 40, 80];
    using directory = new Directory();
    for (const count of [small, large]) {
      await (await openHistory(`${directory.path}/${count}.db`, count)).memory.close();
    }
    const floorBytes: number[] = [];
    const oursBytes: number[] = [];
    for (let round = 0; round < rounds; round++) {
      floorBytes.push(await peakOf(`${directory.path}/${small}.db`));
      oursBytes.push(await peakOf(`${directory.path}/${large}.db`));
    }
    return { floorBytes, oursBytes, checksum: rounds };
  },
};

/** The most bytes that a program took that assembles some contexts. */
async function peakOf(path: string): Promise<number> {
  const program = new URL("./programs/assemble_peak.ts", import.meta.url).href;
  const config = new URL("../deno.json", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", config, program, path],
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout));
}
