/** Opens each store named in its arguments, and prints the outcome of each as a JSON list: a code, or `opened`. */
import { openMemory } from "../../../mod.ts";

const outcomes: string[] = [];
for (const path of Deno.args) {
  try {
    await using memory = await openMemory(path);
    await memory.check();
    outcomes.push("opened");
  } catch (error) {
    outcomes.push(String((error as { code?: unknown }).code ?? error));
  }
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(outcomes)));
