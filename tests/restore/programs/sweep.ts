/** Prunes a store, in a process or in a Worker, and prints what became of leftovers. Argument: the store's path. */
import { openMemory } from "../../../mod.ts";

async function sweep(path: string): Promise<unknown> {
  await using memory = await openMemory(path);
  const found = (await memory.inspect()).leftovers;
  const { leftovers: swept } = await memory.prune({ scrub: false });
  return { found, swept };
}

if (import.meta.main && Deno.args.length > 0) {
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(await sweep(Deno.args[0]!))));
} else {
  const scope = globalThis as unknown as Worker;
  scope.onmessage = async ({ data }): Promise<void> => scope.postMessage(await sweep(data));
}
