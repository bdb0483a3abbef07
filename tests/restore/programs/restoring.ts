/** Restores a backup: its path, the destination, the ledger's path, and the watermark as JSON. */

import { restoreMemory } from "@holdfast/memory";

const [backup, destination, deletionPath, watermark] = Deno.args as [string, string, string, string];
await using _memory = await restoreMemory(backup, destination, {
  deletionPath,
  watermark: JSON.parse(watermark),
});
