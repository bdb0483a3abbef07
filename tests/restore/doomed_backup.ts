/** A process that kills itself halfway through a backup. Arguments: the store, and the backup's destination. */

import { openMemory } from "@holdfast/memory";

const [path, destination] = Deno.args as [string, string];
const memory = await openMemory(path);
await memory.backup(destination, {
  onProgress({ step, part, rows }): void {
    if (step === "copy" && part === "turns" && rows >= 32) Deno.kill(Deno.pid, "SIGKILL");
  },
});
