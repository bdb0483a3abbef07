/**
 * Uses a store from its creation on under an umask, and prints as JSON every mode that any file in its
 * directories ever had, read after each call into SQLite. Arguments: an empty directory, the umask in octal, and the
 * version that SQLite is taken to have, or nothing for its own.
 */
import { openMemory } from "../../../mod.ts";
import { observedDriver } from "../observed_driver.ts";
import { modesIn } from "../scratch.ts";
import { plant, plot } from "../stored.ts";

const [directory, umask, version] = Deno.args as [string, string, string | undefined];
Deno.umask(Number.parseInt(umask, 8));

const seen: Record<string, string[]> = {};

function look(): void {
  for (const place of [directory, `${directory}/new`, `${directory}/new/newer`]) {
    for (const [name, mode] of Object.entries(modesIn(place))) {
      const modes = seen[name] ??= [];
      if (!modes.includes(mode)) modes.push(mode);
    }
  }
}

const path = `${directory}/new/newer/agent.db`;
const driver = observedDriver({ after: look, version });

for (const round of [1, 2]) {
  await using memory = await openMemory(path, { driver });
  const revision = await plant(memory, round);
  await plant(memory, round + 10);
  await memory.records.forget(plot(round), revision);
  await memory.check();
}
{
  await using memory = await openMemory(path, { driver, readOnly: true });
  await memory.records.get(plot(11));
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(seen)));
