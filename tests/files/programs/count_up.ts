/** Adds one to the counter of a store, as often as its second argument says; the store is the first. */
import { openMemory } from "../../../mod.ts";
import { COUNTER, countUp } from "../counter.ts";

const [path, times] = Deno.args as [string, string];
await using memory = await openMemory(path, { kinds: [COUNTER] });
await countUp(memory, Number(times));
Deno.stdout.writeSync(new TextEncoder().encode("true"));
