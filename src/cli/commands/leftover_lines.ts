/** Describes files that killed backups, exports and restores left behind. */

import type { Leftover, SweptLeftovers } from "../../contracts/options/leftovers_report.ts";
import type { Screen } from "../terminal/screen.ts";

const WORDS: Readonly<Record<Leftover["state"], string>> = {
  "left": "A killed backup, export or restore left a file; `prune` removes it",
  "in-use": "A file is being written",
  "out-of-reach": "A backup, export or restore may have left a file, which could not be examined",
};

/** Prints each file that is still there. */
export async function printLeftovers(screen: Screen, leftovers: readonly Leftover[]): Promise<void> {
  for (const { path, state } of leftovers) await screen.line(`${WORDS[state]}: ${path}`);
}

/** Prints each file that was removed, and each that is still there. */
export async function printSwept(screen: Screen, { removed, kept }: SweptLeftovers): Promise<void> {
  for (const path of removed) {
    await screen.line(`Removed a file that a killed backup, export or restore had left: ${path}`);
  }
  await printLeftovers(screen, kept);
}
