/** The list of work files of a store on SQLite. */

import type { SqliteFiles } from "../../src/engines/sqlite/sqlite_files.ts";
import type { Works } from "../../src/engines/sqlite/files/works_list.ts";
import { filesOf, type Memory } from "../../src/memory.ts";

/** The paths of work files that a memory's store remembers. */
export async function worksOf(memory: Memory): Promise<Works> {
  return (await filesOf(memory) as SqliteFiles).works;
}
