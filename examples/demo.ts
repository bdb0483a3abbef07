/** What the examples share: a line on standard output, and a directory that is gone afterwards. */

/** Prints a line. */
export function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Runs an example's body, and removes `.demo` whatever comes of it. */
export async function demo(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } finally {
    await Deno.remove(".demo", { recursive: true });
  }
}
