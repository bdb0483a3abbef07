/** An import whose process is killed leaves an intact store, which the same lines complete. */

import assert from "node:assert/strict";
import { atNoon, clockAtNoon } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { openMemory } from "@holdfast/memory";
import { exported, fill, type Filling, freshStore, held, NONE, NOTE } from "./filling.ts";

const KILLS = Deno.env.get("HOLDFAST_LONG") === "1" ? 30 : 6;
const PROGRAM = new URL("./import_program.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** Many scopes, so that an import writes many groups. */
const MANY: Filling = {
  scopes: Array.from({ length: 40 }, (_, index) => ({
    scope: { tenantId: "orchard", sessionId: `session ${index}` },
    turns: Array.from({ length: 3 }, (_, turn) => ({
      text: `turn ${turn}`,
      call: turn === 1,
      revisions: 1,
      lives: null,
      zone: "2026-03-01T09:00:00Z",
    })),
    pins: [{ value: "pin", cites: 1, lives: null }],
    covers: 2,
  })),
  notes: Array.from({ length: 100 }, (_, index) => ({
    tenantId: "orchard",
    key: `note ${index}`,
    value: index,
    ttl: null,
    maxAge: null,
  })),
};

/** Kills an import after a number of lines. */
async function killAfter(path: string, lines: string, taken: number): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `--config=${CONFIG}`, PROGRAM, path, lines, String(taken)],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const { signal } = await child.status;
  assert.equal(signal, "SIGKILL");
}

Deno.test("An import that is killed again and again leaves an intact store, which the same lines complete", async () => {
  await using directory = await TemporaryDirectory.make();
  await using source = await freshStore();
  await fill(source, MANY);
  const lines = await exported(source);
  await Deno.writeTextFile(directory.file("lines.jsonl"), lines.join(""));
  const path = directory.file("agent.db");
  for (let kill = 0; kill < KILLS; kill++) {
    const taken = Math.floor(((kill + 1) * lines.length) / (KILLS + 1));
    await killAfter(path, directory.file("lines.jsonl"), taken);
    await using memory = await openMemory(path, { ...atNoon(), kinds: [NOTE] });
    await assertIntact(memory);
    const there = (await exported(memory)).slice(1, -1);
    assert.deepEqual(
      there,
      lines.slice(1, 1 + there.length),
      "what is there is not the beginning of the lines",
    );
  }
  await using memory = await openMemory(path, { clock: clockAtNoon().now, kinds: [NOTE] });
  const { conflicting, refused, unchanged } = await memory.importLines(lines);
  assert.deepEqual({ conflicting, refused }, { conflicting: NONE, refused: NONE });
  assert(unchanged.records > 0);
  assert.equal(held(await exported(memory)), held(lines));
  await assertIntact(memory);
});

testThatNothingIsLeftOpen();
