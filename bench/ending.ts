/** Ends a run early without leaving files or processes behind. */

import { stopChildren } from "./children.ts";
import { removeDirectories } from "./directories.ts";

/** Exit codes of a process that a signal ended, as in shells: 128 plus the number of the signal. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;

/** Cleans up and exits at SIGINT and SIGTERM. */
export function endAtSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (signal === "SIGTERM" && Deno.build.os === "windows") continue; // does not have it
    Deno.addSignalListener(signal, () => void end(CODES[signal]));
  }
}

async function end(code: number): Promise<never> {
  try {
    await stopChildren();
  } finally {
    removeDirectories();
    Deno.exit(code);
  }
}

/** Prints a line. Exits if the reader has closed the pipe, such as `head -3` does. */
export function print(text: string): void {
  try {
    writeAll(Deno.stdout, `${text}\n`);
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    removeDirectories();
    Deno.exit(CODES.SIGPIPE);
  }
}

/** Prints a usage error and exits. */
export function refuse(complaint: string, usage: string): never {
  writeAll(Deno.stderr, `${complaint}\n${usage}\n`);
  Deno.exit(2);
}

function writeAll(to: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) written += to.writeSync(bytes.subarray(written));
}
