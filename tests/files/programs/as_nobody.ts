/**
 * Drops root, opens a store, reads a fact and puts another, and prints the outcome of each as JSON: a code, or
 * `done`. Arguments: the options of opening as JSON, and the path. Without root it keeps its user.
 */
import { type MemoryOptions, openMemory } from "../../../mod.ts";
import { dropRoot } from "../drop_root.ts";
import { plant, plot } from "../stored.ts";

const [given, path] = Deno.args as [string, string];

async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "done";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

dropRoot();
const outcomes = { open: "", get: "not tried", put: "not tried", message: "" };
try {
  await using memory = await openMemory(path, JSON.parse(given) as MemoryOptions);
  outcomes.open = "done";
  outcomes.get = await outcomeOf(() => memory.records.get(plot(1)));
  outcomes.put = await outcomeOf(() => plant(memory, 1_001));
} catch (error) {
  outcomes.open = String((error as { code?: unknown }).code ?? error);
  outcomes.message = (error as Error).message;
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(outcomes)));
