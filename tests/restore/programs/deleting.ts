/** Deletes turns of a store, each in a batch of its own: path, and turns by id. */

import { openMemory } from "@holdfast/memory";
import { SCOPE } from "../shelf.ts";

const [path, ...turnIds] = Deno.args as [string, ...string[]];
await using memory = await openMemory(path);
const talk = memory.conversation(SCOPE);
for (const key of turnIds) {
  await talk.delete({ kind: "turn", key, expectedRevision: await talk.revision() });
}
