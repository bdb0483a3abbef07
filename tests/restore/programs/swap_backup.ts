/**
 * Restores a backup whose name is taken by a pipe after its inspection and before it is copied, and prints the
 * outcome as JSON. Arguments: the directory and the watermark.
 */
import { restoreMemory } from "../../../mod.ts";
import { observedDriver } from "../../files/observed_driver.ts";
import { makePipe } from "../../files/odd_files.ts";

const [directory, watermark] = Deno.args as [string, string];

let swapped = false;
const driver = observedDriver({
  before({ path }): void {
    if (swapped || !path.endsWith(".deletions")) return;
    swapped = true;
    Deno.removeSync(`${directory}/agent.backup`);
    makePipe(`${directory}/agent.backup`);
  },
});
let outcome = "done";
try {
  await using _memory = await restoreMemory(`${directory}/agent.backup`, `${directory}/restored.db`, {
    deletionPath: `${directory}/agent.db.deletions`,
    watermark: JSON.parse(watermark),
    driver,
  });
} catch (error) {
  outcome = String((error as { code?: unknown }).code ?? error);
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify([swapped, outcome])));
