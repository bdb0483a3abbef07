/** Another process that counts a record of the kind `counter` up, one compare-and-swap after the other. */

import { z } from "zod";
import { defineKind } from "../../src/contracts/record_kind.ts";
import { openMemory } from "../../src/open.ts";

/** Which record all of them count up. */
export const SHARED = { tenantId: "orchard", kind: "counter", key: "shared" } as const;

/** Runs one; resolves with its exit code and what it said. */
export async function countInProcess(path: string, times: number): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      import.meta.filename!,
      path,
      String(times),
    ],
  }).output();
  const decoder = new TextDecoder();
  return { code, said: decoder.decode(stdout) + decoder.decode(stderr) };
}

if (import.meta.main) {
  const [path, times] = Deno.args;
  const counter = defineKind("counter", z.strictObject({ n: z.int() }), { ttlMax: null });
  await using memory = await openMemory(path!, { kinds: [counter] });
  for (let index = 0; index < Number(times); index++) {
    await memory.records.update(SHARED, ({ n }: { n: number }) => ({ n: n + 1 }), {
      ttl: null,
      attempts: 1_000,
    });
  }
}
