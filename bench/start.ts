/**
 * Goal: what a program pays from its start to its first `records.get`, beside a bare program with the driver that does
 * the same. Non-goal: the first run after an install, when Deno still compiles; both programs are run once before.
 */
import { type Question, timeUs } from "./measure.ts";
import { Directory, Floor, openOurs } from "./stores.ts";

/** The row. */
export const start: Question = {
  name: "process start to the first records.get",
  floor: "a bare program with the driver doing the same",
  target: 2,
  run: async (size) => {
    const rounds = size === "full" ? 31 : 2;
    using directory = new Directory();
    const { memory } = await openOurs(`${directory.path}/ours.db`, 10);
    await memory.close();
    new Floor(`${directory.path}/floor.db`, 10)[Symbol.dispose]();
    const floorUs: number[] = [];
    const oursUs: number[] = [];
    let checksum = 0;
    for (let round = -1; round < rounds; round++) {
      const one = await timeUs(async () =>
        checksum += await runProgram("start_floor.ts", `${directory.path}/floor.db`)
      );
      const two = await timeUs(async () =>
        checksum += await runProgram("start_ours.ts", `${directory.path}/ours.db`)
      );
      if (round < 0) continue;
      floorUs.push(one);
      oursUs.push(two);
    }
    return { floorUs, oursUs, checksum };
  },
};

/** Runs a program that exits with the length of the text it read. */
async function runProgram(name: string, path: string): Promise<number> {
  const program = new URL(`./programs/${name}`, import.meta.url).href;
  const { success, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, path],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) throw new Error("The program read nothing");
  if (code === 1) throw new Error(new TextDecoder().decode(stderr));
  return code;
}
