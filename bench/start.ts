/**
 * Goal: the time of a program from its start to its first `records.get`, compared with a bare program with the driver
 * that does the same. Non-goal: the first run, when Deno still compiles; both programs are run once before.
 */
import { programPath, runCommand } from "./children.ts";
import { Directory } from "./directories.ts";
import { type Question, timeInTurn } from "./measure.ts";
import { Floor, openOurs } from "./stores.ts";

/** The row of the start-up time. */
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
    let checksum = 0;
    const pairs = await timeInTurn({ rounds, warm: 1 }, async () => {
      checksum += await textLength("start_floor.ts", `${directory.path}/floor.db`);
    }, async () => {
      checksum += await textLength("start_ours.ts", `${directory.path}/ours.db`);
    });
    return { ...pairs, unit: "us", checksum };
  },
};

/** Runs a program that exits with the length of the text it read. */
async function textLength(name: string, path: string): Promise<number> {
  const args = ["run", "-A", "--no-check", programPath(name), path];
  const { success, stderr, code } = await runCommand(Deno.execPath(), args);
  if (success) throw new Error("The program read nothing");
  if (code === 1) throw new Error(stderr.trim());
  return code;
}
