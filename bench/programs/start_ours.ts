/** Opens a store, reads one record, and exits with the length of its text. */
import { openMemory } from "../../mod.ts";

const memory = await openMemory(Deno.args[0]!);
const found = await memory.records.get({ tenantId: "acme", kind: "fact", key: "k-3" });
Deno.exit(found!.value.text.length);
