/** A store with a backup from before some deletions, as bytes, to be written out and restored repeatedly. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Memory, MemoryError, openMemory, restoreMemory, type Watermark } from "../../mod.ts";
import { FACT, factOf, fill, SCOPE } from "./shelf.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

/** The files, by their names. */
export type Files = Readonly<Record<"agent.db" | "agent.db.deletions" | "agent.backup", Uint8Array>>;

/** The files, and what a restore of them returns. */
export interface Restorable {
  readonly files: Files;
  readonly watermark: Watermark;
  readonly told: readonly string[];
}

/** Outcome of one restore; any other is a failure. */
export type Outcome = "refused" | "restored";

/** Creates it: turns, a pin, records, remembered operations, and two deletions since the backup. */
export async function makeRestorable(): Promise<Restorable> {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  const backup = directory.file("agent.backup");
  let watermark: Watermark;
  {
    await using memory = await openMemory(path);
    const { turnIds } = await fill(memory);
    const talk = memory.conversation(SCOPE);
    await talk.append([{ role: "user", content: "Water at dusk. ".repeat(400) }], { operationId: "long" });
    const pin = { scope: SCOPE, key: "soil", value: "Clay.", origin: "user" } as const;
    await talk.putPin(pin, { expectedRevision: await talk.revision() });
    const second = { ...FACT, key: "second" };
    await memory.records.put(second, factOf("Kept."), {
      expectedRevision: null,
      ttl: 86_400,
      operationId: "keep",
    });
    const early = { ...FACT, key: "early" };
    const revision = await memory.records.put(early, factOf("Gone before."), {
      expectedRevision: null,
      ttl: 60,
    });
    await memory.records.forget(early, revision);
    await memory.backup(backup);
    await talk.delete({ kind: "turn", key: turnIds[1]!, expectedRevision: await talk.revision() });
    await memory.records.forget(FACT, 1);
    watermark = await memory.deletionWatermark();
  }
  const files = {
    "agent.db": Deno.readFileSync(path),
    "agent.db.deletions": Deno.readFileSync(`${path}.deletions`),
    "agent.backup": Deno.readFileSync(backup),
  };
  await using restored = await restoreMemory(backup, directory.file("restored.db"), {
    deletionPath: `${path}.deletions`,
    watermark,
  });
  return { files, watermark, told: await tell(restored) };
}

/** Everything that it holds, one text for each thing, without what is random in each restore. */
async function tell(memory: Memory): Promise<readonly string[]> {
  const talk = memory.conversation(SCOPE);
  const snapshot = await talk.snapshot();
  const told = [`scope at ${snapshot.revision} with ${snapshot.turnCount} turns`];
  for (const pin of snapshot.pins) told.push(JSON.stringify(pin));
  for await (const turn of talk.turns()) told.push(JSON.stringify(turn));
  for (const { key, revision, expires } of (await memory.records.list(FACT.tenantId)).items) {
    told.push(`${key} ${revision} ${expires} ${(await memory.records.get({ ...FACT, key }))?.value.text}`);
  }
  return told;
}

/** Writes files to a directory that holds nothing else afterwards. */
export function layOut(directory: string, files: Files): void {
  for (const { name } of Deno.readDirSync(directory)) {
    Deno.removeSync(`${directory}/${name}`, { recursive: true });
  }
  for (const [name, bytes] of Object.entries(files)) {
    Deno.writeFileSync(`${directory}/${name}`, bytes, { mode: 0o600, createNew: true });
  }
}

/**
 * Restores the files in a directory. A refusal must be typed and change nothing; a restored store must hold exactly
 * what it should, be intact, and accept a further write.
 */
export async function restoreThere(directory: string, { told, watermark }: Restorable): Promise<Outcome> {
  const before = bytesIn(directory);
  let restored: Memory;
  try {
    restored = await restoreMemory(`${directory}/agent.backup`, `${directory}/restored.db`, {
      deletionPath: `${directory}/agent.db.deletions`,
      watermark,
    });
  } catch (error) {
    assert(error instanceof MemoryError, `restoring threw an untyped error: ${error}`);
    assert.deepEqual(bytesIn(directory), before, "a refused restore changed something");
    return "refused";
  }
  try {
    assert.deepEqual(await tell(restored), told, "a value not stored");
    await restored.records.put({ ...FACT, key: "after" }, factOf("After."), {
      expectedRevision: null,
      ttl: 60,
    });
    assert.deepEqual((await restored.check()).problems, []);
  } finally {
    await restored.close();
  }
  return "restored";
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function bytesIn(directory: string): Readonly<Record<string, string>> {
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = `${directory}/${name}`;
      return [name, Deno.lstatSync(path).isFile ? digestOf(Deno.readFileSync(path)) : "no file"];
    }),
  );
}
