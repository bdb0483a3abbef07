/** The operations that export, import and inspect, for the matrices. */

import { type Memory, openMemory } from "@holdfast/memory";
import { prepareTalk, REVISION, talkOf } from "./conversation_operations.ts";
import { prepareOthers } from "./record_operations.ts";
import { optionsFor, type StruckOperation } from "./struck_operation.ts";

let exported: Promise<readonly string[]> | null = null;

/** The lines of a store of the same contents. */
function lines(): Promise<readonly string[]> {
  exported ??= exportAll();
  return exported;
}

async function exportAll(): Promise<readonly string[]> {
  await using memory = await openMemory(":memory:", optionsFor(5_000));
  await prepareTalk(memory);
  return await Array.fromAsync(memory.exportLines({ includeContent: true }));
}

/** The same contents, less one turn that was deleted. */
async function prepareDeleted(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  await talkOf(memory).delete({ kind: "turn", key: "t2", expectedRevision: REVISION });
}

/** See the module's documentation. */
export const LINE_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "an import",
    calls: "Memory.importLines",
    prepare: prepareOthers,
    steps: true,
    run: async (memory, signal) => await memory.importLines(await lines(), { signal }),
  },
  {
    name: "an import of what is there or was deleted",
    calls: "Memory.importLines",
    prepare: prepareDeleted,
    steps: true,
    run: async (memory, signal) => await memory.importLines(await lines(), { signal }),
  },
  {
    name: "an export",
    calls: "Memory.exportLines",
    prepare: prepareTalk,
    run: (memory, signal) => Array.fromAsync(memory.exportLines({ includeContent: true, signal })),
  },
  {
    name: "an inspection",
    calls: "Memory.inspect",
    prepare: prepareTalk,
    run: (memory, signal) => memory.inspect({ signal }),
  },
];
