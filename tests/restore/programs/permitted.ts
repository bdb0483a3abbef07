/**
 * Opens a store, backs it up with its ledger, deletes from it, closes it and restores it, with this process's
 * permissions, and prints as JSON what was erased again, or the error. Arguments: the directories of the store, of
 * the backup, and of the restored store; and `nobody` to drop root first.
 */
import { openMemory, restoreMemory, StorageError } from "../../../mod.ts";
import { dropRoot } from "../../files/drop_root.ts";
import { fill, SCOPE } from "../shelf.ts";

const [store, shelf, restored, user] = Deno.args as [string, string, string, string | undefined];

async function act(): Promise<unknown> {
  let watermark;
  {
    await using memory = await openMemory(`${store}/agent.db`);
    const { turnIds } = await fill(memory);
    await memory.backup(`${shelf}/agent.backup`);
    await memory.exportLedger(`${shelf}/agent.ledger`);
    const talk = memory.conversation(SCOPE);
    await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
    await memory.prune();
    watermark = await memory.deletionWatermark();
  }
  await using memory = await restoreMemory(`${shelf}/agent.backup`, `${restored}/restored.db`, {
    deletionPath: `${store}/agent.db.deletions`,
    watermark,
  });
  return { erased: memory.restored!.erased.turns, problems: (await memory.check()).problems.length };
}

if (user === "nobody") dropRoot();
let result: unknown;
try {
  result = await act();
} catch (error) {
  if (!(error instanceof StorageError)) throw error;
  result = { code: error.code, flags: error.details.flags ?? null };
}
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(result)));
