/** Opens a store, and for some scopes reads the last turns and appends one. */
import { openMemory } from "../../mod.ts";
import { LIMITS } from "../history.ts";
import { chosenScopes, LAST, printServed, scopeOf, textOf } from "./served.ts";

const [path, scopes, served] = Deno.args;
await using memory = await openMemory(path!, { limits: LIMITS });
let characters = 0;
for (const scope of chosenScopes(Number(scopes), Number(served))) {
  const conversation = memory.conversation(scopeOf(scope));
  const snapshot = await conversation.snapshot();
  for await (const turn of conversation.turns({ snapshot, last: LAST })) {
    characters += turn.messages[0]!.content.length;
  }
  await conversation.append([{ role: "user", content: textOf(scope, 0) }]);
}
printServed(characters);
