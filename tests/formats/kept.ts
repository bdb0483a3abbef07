/** That a recorded history is kept: by a store, its backup, and lines that another store imports. */

import assert from "node:assert/strict";
import { type Memory, openMemory, restoreMemory } from "../../mod.ts";
import type { Format } from "../../src/formats/message_formats.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { ordinary } from "./round_trip.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };

/** Requires that a history comes back as it was, with the bytes of its media, whichever way it went. */
export async function assertKept<Theirs, Written>(
  format: Format<Theirs, Written>,
  given: Theirs,
): Promise<void> {
  await using directory = await TemporaryDirectory.make();
  const deletionPath = directory.file("agent.db.deletions");
  const memory = await openMemory(directory.file("agent.db"));
  for (const message of format.parse(given)) await memory.conversation(SCOPE).append([message]);
  await assertWritten(memory, format, given);
  await memory.backup(directory.file("agent.backup"));
  const watermark = await memory.deletionWatermark();
  await memory.close();
  const options = { deletionPath, watermark };
  await using restored = await restoreMemory(
    directory.file("agent.backup"),
    directory.file("new.db"),
    options,
  );
  await assertWritten(restored, format, given);
  await using other = await openMemory(":memory:");
  await other.importLines(restored.exportLines({ includeContent: true }));
  await assertWritten(other, format, given);
}

async function assertWritten<Theirs, Written>(
  memory: Memory,
  format: Format<Theirs, Written>,
  given: Theirs,
): Promise<void> {
  const conversation = memory.conversation(SCOPE);
  const messages = (await Array.fromAsync(conversation.turns())).flatMap((turn) => turn.messages);
  const theirs = format.write(await conversation.withMedia(messages));
  assert.deepEqual(ordinary(theirs), ordinary(given));
  assert.deepEqual((await memory.check()).problems, []);
}
