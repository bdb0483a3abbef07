/** Another process whose clock is ten minutes slow: it reads, deletes, and tries to set a deadline from its clock. */

import { openMemory } from "@holdfast/memory";
import { NOON, ORCHARD, readIds } from "./samples.ts";

/** What it tells. */
export interface Told {
  readonly seen: readonly string[];
  /** The time of its deletion, as its receipt has it. */
  readonly deletedAt: string;
  /** Why its replay was refused. */
  readonly refused: string | null;
}

/** Runs one that deletes a turn. */
export async function runSlowProcess(path: string, turnId: string): Promise<Told> {
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-read",
      "--allow-write",
      "--no-prompt",
      "--no-check",
      `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
      import.meta.filename!,
      path,
      turnId,
    ],
  }).output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout)) as Told;
}

if (import.meta.main) {
  const [path, turnId] = Deno.args;
  await using memory = await openMemory(path!, { clock: () => (NOON - 600) * 1_000 });
  const conversation = memory.conversation(ORCHARD);
  const seen = await readIds(conversation);
  const expectedRevision = await conversation.revision();
  const { at } = await conversation.delete({ kind: "turn", key: turnId!, expectedRevision });
  const refused = await conversation.cachePut(await conversation.snapshot(), "k", {}).then(
    () => null,
    (error: { reason: string }) => error.reason,
  );
  const told: Told = { seen, deletedAt: at, refused };
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(told)));
}
