/**
 * Does one thing in each of several directories, and prints the outcomes as a JSON list: a code, or `done`.
 * Arguments: `open`, `restore`, `backup` or `exportLedger`; the watermark as JSON; and the directories.
 */
import { openMemory, restoreMemory } from "../../../mod.ts";

const [what, watermark, ...directories] = Deno.args as [string, string, ...string[]];

async function attempt(directory: string): Promise<void> {
  const path = `${directory}/agent.db`;
  if (what === "restore") {
    await using memory = await restoreMemory(`${directory}/agent.backup`, `${directory}/restored.db`, {
      deletionPath: `${path}.deletions`,
      watermark: JSON.parse(watermark),
    });
    if (!(await memory.check()).ok) throw new Error("what was restored is damaged");
    return;
  }
  await using memory = await openMemory(path);
  if (what === "backup" || what === "exportLedger") await memory[what](`${directory}/copy`);
  if (!(await memory.check()).ok) throw new Error("what was opened is damaged");
}

const outcomes: string[] = [];
for (const directory of directories) {
  try {
    await attempt(directory);
    outcomes.push("done");
  } catch (error) {
    outcomes.push(String((error as { code?: unknown }).code ?? error));
  }
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(outcomes)));
