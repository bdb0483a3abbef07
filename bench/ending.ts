/** How a run ends before its time: without leaving files or processes behind. */

import { stopChildren } from "./children.ts";
import { removeDirectories } from "./directories.ts";

/** What shells say of a process that a signal ended: 128 and the signal's number. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;

/** Cleans up and exits at the signals that ask for it. */
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

/** Prints a line. Where nobody reads on, such as after `head -3`, there is nobody to measure for. */
export function print(text: string): void {
  try {
    writeAll(Deno.stdout, `${text}\n`);
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    removeDirectories();
    Deno.exit(CODES.SIGPIPE);
  }
}

/** Says what is wrong with how the program was called, and ends it. */
export function refuse(complaint: string, usage: string): never {
  writeAll(Deno.stderr, `${complaint}\n${usage}\n`);
  Deno.exit(2);
}

function writeAll(to: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) written += to.writeSync(bytes.subarray(written));
}
