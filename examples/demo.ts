/** Shared by the examples: prints lines, and removes their directory afterwards. */

/** Prints a line. */
export function print(line: string = ""): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Runs an example, and removes `.demo` afterwards, even if the example fails. */
export async function demo(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    // Report what failed, not that `.demo` was never created.
    await removeDemo().catch(() => {});
    throw error;
  }
  await removeDemo();
}

function removeDemo(): Promise<void> {
  return Deno.remove(".demo", { recursive: true });
}
