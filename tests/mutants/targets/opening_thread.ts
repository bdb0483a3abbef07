/** Another thread of a test's process: opens a store with a rollback journal, reads, and closes it. */

import { openMemory } from "@holdfast/memory";
import { oldLibrary } from "../../contention/old_library.ts";
import { serveThread } from "../../kit/thread.ts";

serveThread(async (path: string) => {
  await using memory = await openMemory(path, { driver: oldLibrary });
  return (await memory.records.list("orchard")).items.length;
});
