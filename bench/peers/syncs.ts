/** Counts the syncs of a durable commit in each store, from outside with strace. */

import { CONFIG_PATH, programPath, runCommand } from "../children.ts";
import { Directory } from "../directories.ts";

/** The stores, with their names in `bench/programs/commits.ts`. */
export const COMMITTERS = {
  "`records.put`": "records",
  "`append`": "turns",
  "Deno KV": "kv",
  "JSON lines": "lines",
  "SQLite FTS5": "fts",
} as const;

/** The name of a store. */
export type Committer = (typeof COMMITTERS)[keyof typeof COMMITTERS];

/** The commits of two runs. Their difference excludes the syncs of opening and closing. */
const COUNTS = [10, 30] as const;

/** Returns the syncs per commit; null if strace is not available. */
export async function syncsPerCommit(committer: Committer): Promise<number | null> {
  const [few, many] = [await countSyncs(committer, COUNTS[0]), await countSyncs(committer, COUNTS[1])];
  return few === null || many === null ? null : Math.round((many - few) / (COUNTS[1] - COUNTS[0]));
}

async function countSyncs(committer: Committer, count: number): Promise<number | null> {
  using directory = new Directory();
  const log = `${directory.path}/syncs`;
  const deno = [Deno.execPath(), "run", "-A", "--no-lock", "--unstable-kv", "--config", CONFIG_PATH];
  const program = [programPath("commits.ts"), committer, `${count}`, directory.path];
  try {
    const strace = ["-f", "-e", "trace=fsync,fdatasync", "-o", log];
    const { success } = await runCommand("strace", [...strace, ...deno, ...program]);
    if (!success) return null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  return [...(await Deno.readTextFile(log)).matchAll(/\bf(?:data)?sync\(/g)].length;
}
