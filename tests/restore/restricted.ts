/**
 * Backs up, deletes, scrubs and restores with this process's permissions, and prints the outcome as JSON. Argument:
 * the one directory.
 */

import { openMemory, restoreMemory } from "@holdfast/memory";

const [directory] = Deno.args as [string];
const SCOPE = { tenantId: "orchard", sessionId: "spring" } as const;
const deletionPath = `${directory}/agent.db.deletions`;

const memory = await openMemory(`${directory}/agent.db`);
const talk = memory.conversation(SCOPE);
const { turnId } = await talk.append([{ role: "user", content: "The well is forty metres deep." }]);
await talk.append([{ role: "user", content: "Prune before frost." }]);
await memory.backup(`${directory}/agent.backup`);
await memory.exportLedger(`${directory}/agent.ledger`);
await talk.delete({ kind: "turn", key: turnId, expectedRevision: await talk.revision() });
const { scrub } = await memory.prune();
const watermark = await memory.deletionWatermark();
await memory.close();
await using restored = await restoreMemory(`${directory}/agent.backup`, `${directory}/restored.db`, {
  deletionPath,
  watermark,
});
const turns = await Array.fromAsync(restored.conversation(SCOPE).turns());
const result = {
  complete: scrub?.complete,
  erased: restored.restored?.erased.turns,
  texts: turns.map(({ messages }) => messages[0]!.content),
};
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(result)));
