/** A process whose very first call of a conversation is not awaited before its messages are emptied and it closes. */

import { openMemory } from "@holdfast/memory";
import { ORCHARD } from "./samples.ts";

/** Runs one; gives the text that its call stored. */
export async function storedByFirstCall(path: string): Promise<string> {
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
    ],
  }).output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(decoder.decode(stderr));
  return decoder.decode(stdout);
}

if (import.meta.main) {
  const [path] = Deno.args;
  const memory = await openMemory(path!);
  const messages = [{ role: "user" as const, content: "Which trees were grafted?" }];
  const appended = memory.conversation(ORCHARD).append(messages);
  messages.length = 0;
  await memory.close();
  await appended;
  await using again = await openMemory(path!);
  for await (const turn of again.conversation(ORCHARD).turns()) {
    Deno.stdout.writeSync(new TextEncoder().encode(turn.messages[0]!.content));
  }
}
