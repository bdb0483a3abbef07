/** Assembles some contexts from a store and prints the most bytes of resident memory that it saw itself take. */
import { openMemory } from "../../mod.ts";
import { BUDGET, historyOf, LIMITS, QUESTION, SYSTEM } from "../history.ts";

await using memory = await openMemory(Deno.args[0]!, { limits: LIMITS });
const conversation = historyOf(memory);
let peakBytes = 0;
for (let time = 0; time < 20; time++) {
  await conversation.assemble(QUESTION, BUDGET, { system: SYSTEM });
  peakBytes = Math.max(peakBytes, Deno.memoryUsage().rss);
}
Deno.stdout.writeSync(new TextEncoder().encode(String(peakBytes)));
