/**
 * Backs a store up and is killed at one moment. Arguments: the store's path; the destination; and the moment: a number of
 * a progress report, `linked`, or `never`, which prints how many reports there are.
 */
import { openMemory } from "../../../mod.ts";

const [path, destination, moment] = Deno.args as [string, string, string];

const { linkSync } = Deno;
Deno.linkSync = (from, to): void => {
  linkSync(from, to);
  if (moment === "linked") Deno.kill(Deno.pid, "SIGKILL");
};

let reports = 0;
await using memory = await openMemory(path);
await memory.backup(destination, {
  onProgress(): void {
    if (String(++reports) === moment) Deno.kill(Deno.pid, "SIGKILL");
  },
});
Deno.stdout.writeSync(new TextEncoder().encode(String(reports)));
