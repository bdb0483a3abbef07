/** The locks that this process holds on files: POSIX drops all of a file when any descriptor of it is closed here. */

import { DatabaseSync } from "node:sqlite";
import { TemporaryDirectory } from "./temporary_directory.ts";

/** Where Linux lists the locks of every process. */
const LOCKS = "/proc/locks";

const LOOKS = 20;

/**
 * The locks on some files, whatever their names now, as kind and range. A look at the list may miss a line, or meet it
 * twice, where other processes lock and unlock meanwhile: hence several looks.
 *
 * @param files each file's inode number by the name that it is to be called by
 */
export function locksOn(files: ReadonlyMap<string, number>): readonly string[] {
  const names = new Map([...files].map(([name, inode]) => [`${inode}`, name]));
  const locks = new Set<string>();
  const looks = Array.from({ length: LOOKS }, () => Deno.readTextFileSync(LOCKS).split("\n"));
  for (const line of looks.flat()) {
    const [, , , kind, pid, file, start, end] = line.split(/\s+/);
    const name = names.get(file?.split(":").at(-1) ?? "");
    if (name !== undefined && pid === `${Deno.pid}`) locks.add(`${name} ${kind} ${start} ${end}`);
  }
  return [...locks].sort();
}

/** The inode of each of some names in a directory. */
export function inodesOf(directory: string, names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name) => [name, Deno.lstatSync(`${directory}/${name}`).ino ?? 0]));
}

/** Why the locks cannot be looked at here; null where they can. */
export async function whyNoLocks(): Promise<string | null> {
  if (Deno.build.os !== "linux") return "only Linux lists locks";
  await using directory = await TemporaryDirectory.make();
  const database = new DatabaseSync(directory.file("probe.db"));
  try {
    database.exec("CREATE TABLE probe (a); BEGIN IMMEDIATE");
    return locksOn(inodesOf(directory.path, ["probe.db"])).length > 0 ? null : "locks are not listed here";
  } catch (error) {
    return `${LOCKS} cannot be read: ${(error as Error).name}`;
  } finally {
    database.close();
  }
}
