/** Assembles some contexts from a store, and prints the highest resident memory that it measured. */
import { openMemory } from "../../mod.ts";
import { BUDGET, historyOf, LIMITS, QUESTION, SYSTEM } from "../history.ts";

/** The output of the program. */
export interface Assembled {
  readonly peakBytes: number;
  /** The tokens of all contexts. */
  readonly tokens: number;
}

async function assemble(path: string): Promise<Assembled> {
  await using memory = await openMemory(path, { limits: LIMITS });
  const conversation = historyOf(memory);
  let peakBytes = 0;
  let tokens = 0;
  for (let time = 0; time < 20; time++) {
    const { context } = await conversation.assemble(QUESTION, BUDGET, { system: SYSTEM });
    tokens += context.diagnostics.estimate.serializedTokens;
    peakBytes = Math.max(peakBytes, Deno.memoryUsage().rss);
  }
  return { peakBytes, tokens };
}

if (import.meta.main) {
  const assembled = await assemble(Deno.args[0]!);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(assembled)));
}
