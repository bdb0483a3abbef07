/** What the examples share: a line on standard output, and a directory that is gone afterwards. */

/** Prints a line. */
export function print(line: string = ""): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Runs an example's body, and removes `.demo` whatever comes of it. */
export async function demo(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    // What failed is what the reader has to see, not that `.demo` was never made.
    await removeDemo().catch(() => {});
    throw error;
  }
  await removeDemo();
}

function removeDemo(): Promise<void> {
  return Deno.remove(".demo", { recursive: true });
}
