/**
 * Opens a store with a fact, has a pipe take one of its names, and prints the outcome of further calls as JSON.
 * Arguments: the path; what is appended to it to make the name; and the version that SQLite is taken to have, or
 * nothing for its own.
 */
import { openMemory } from "../../../mod.ts";
import { observedDriver } from "../observed_driver.ts";
import { makePipe } from "../odd_files.ts";
import { plant, plot } from "../stored.ts";

const [path, suffix, version] = Deno.args as [string, string, string | undefined];

async function outcomeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "done";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

const memory = await openMemory(path, { driver: observedDriver({ version }), busyTimeoutMs: 200 });
const revision = await plant(memory, 1);
try {
  Deno.removeSync(path + suffix);
} catch {
  // It does not exist between two transactions.
}
makePipe(path + suffix);
const outcomes = [
  await outcomeOf(() => plant(memory, 2)),
  await outcomeOf(() => memory.records.list("orchard")),
  await outcomeOf(() => memory.records.forget(plot(1), revision)),
  await outcomeOf(() => memory.backup(`${path}.backup`)),
  await outcomeOf(() => memory.exportLedger(`${path}.ledger`)),
  await outcomeOf(() => memory.close()),
];
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(outcomes)));
