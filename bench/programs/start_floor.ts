/** Opens a database with the driver alone, reads one row, and exits with the length of its text. */
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(Deno.args[0]!);
const row = database.prepare(
  "SELECT revision, expires, body FROM records WHERE tenant = ? AND kind = ? AND key = ?",
)
  .get("acme", "fact", "k-3");
Deno.exit((JSON.parse(row!["body"] as string) as { text: string }).text.length);
