/** Opens a database with the driver alone, and for some scopes reads the last turns and inserts one. */
import { DatabaseSync } from "node:sqlite";
import { chosenScopes, INSERT_TURN, LAST, printServed, scopeOf, textOf } from "./served.ts";

const [path, scopes, served] = Deno.args;
const database = new DatabaseSync(path!);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
const select = database.prepare(
  "SELECT messages FROM turns WHERE tenant = ? AND session = ? ORDER BY id DESC LIMIT ?",
);
const insert = database.prepare(INSERT_TURN);
let characters = 0;
for (const scope of chosenScopes(Number(scopes), Number(served))) {
  const { tenantId, sessionId } = scopeOf(scope);
  for (const row of select.all(tenantId, sessionId, LAST)) {
    const [message] = JSON.parse(row["messages"] as string) as { content: string }[];
    characters += message!.content.length;
  }
  database.exec("BEGIN IMMEDIATE");
  insert.run(tenantId, sessionId, JSON.stringify([{ role: "user", content: textOf(scope, 0) }]));
  database.exec("COMMIT");
}
printServed(characters);
database.close();
