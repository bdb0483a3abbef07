/** Opens a store, fills its log, swaps the file for a copy from before, and ends without closing. */
import { openMemory } from "../../../mod.ts";
import { plant } from "../stored.ts";

const [path] = Deno.args as [string];
const memory = await openMemory(path);
new Deno.Command("cp", { args: ["-p", path, `${path}.copy`] }).outputSync();
for (let number = 1; number <= 3; number++) await plant(memory, number);
Deno.renameSync(`${path}.copy`, path);
Deno.stdout.writeSync(new TextEncoder().encode(`${Deno.lstatSync(`${path}-wal`).size}`));
