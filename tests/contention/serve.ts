/** The other end of `workers.ts`: tasks come in on standard input, answers go out on standard output, a JSON line each. */

import { ConflictError, MemoryError } from "@holdfast/memory";
import type { Answer } from "./task.ts";

const encoder = new TextEncoder();

function answer(line: Answer): void {
  const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
}

/** Says that it is ready, and performs one task after the other until no more can come. */
export async function serve<Task>(perform: (task: Task) => Promise<unknown>): Promise<void> {
  answer({ type: "ready" });
  for await (const line of lines()) {
    try {
      answer({ type: "done", result: await perform(JSON.parse(line) as Task) });
    } catch (error) {
      const { name, message, stack = "" } = error as Error;
      answer({ type: "error", code: codeOf(error) ?? name, message, stack });
    }
  }
}

function codeOf(error: unknown): string | null {
  if (error instanceof ConflictError) return error.reason;
  return error instanceof MemoryError ? error.code : null;
}

async function* lines(): AsyncIterable<string> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
}
