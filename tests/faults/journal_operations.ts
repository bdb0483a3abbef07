/** The operations on journals that matrices strike. */

import type { Journal, Memory } from "@holdfast/memory";
import { ORCHARD } from "../conversations/samples.ts";
import { prepareTalk, TOOLS } from "./conversation_operations.ts";
import { prepareOthers } from "./record_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

/** The journal that everything happens to; its revision after `prepareTalk` is 1, with two entries. */
function journalOf(memory: Memory): Journal {
  return memory.journal(ORCHARD, TOOLS);
}

const ENTRIES = [{ uuid: "e2", json: { pears: "grafted" } }, { uuid: "e9", json: ["plums"] }];

/** See the module's documentation. */
export const JOURNAL_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a first entry",
    calls: "Journal.append",
    prepare: prepareOthers,
    run: (memory, signal) => journalOf(memory).append(ENTRIES, { operationId: "first", signal }),
  },
  {
    name: "entries, one of which is there",
    calls: "Journal.append",
    prepare: prepareTalk,
    run: (memory, signal) => journalOf(memory).append(ENTRIES, { expectedRevision: 1, signal }),
  },
  {
    name: "an entry whose uuid is taken",
    calls: "Journal.append",
    prepare: prepareTalk,
    run: (memory, signal) => journalOf(memory).append([{ uuid: "e2", json: "otherwise" }], { signal }),
  },
  {
    name: "the replacement of a suffix",
    calls: "Journal.replaceSuffix",
    prepare: prepareTalk,
    run: (memory, signal) =>
      journalOf(memory).replaceSuffix({ from: 2, expectedRevision: 1 }, ENTRIES, {
        operationId: "suffix",
        signal,
      }),
  },
  {
    name: "a journal's revision",
    calls: "Journal.revision",
    prepare: prepareTalk,
    run: (memory, signal) => journalOf(memory).revision({ signal }),
  },
  {
    name: "the reading of a journal",
    calls: "Journal.read",
    prepare: prepareTalk,
    run: (memory, signal) => Array.fromAsync(journalOf(memory).read({ last: 1, signal })),
  },
  {
    name: "the popping of an entry",
    calls: "Journal.pop",
    prepare: prepareTalk,
    run: (memory, signal) => journalOf(memory).pop(1, { expectedRevision: 1, signal }),
  },
  {
    name: "the clearing of a journal",
    calls: "Journal.clear",
    prepare: prepareTalk,
    run: (memory, signal) => journalOf(memory).clear({ operationId: "clear", signal }),
  },
  {
    name: "the deletion of a journal",
    calls: "Journal.delete",
    prepare: prepareTalk,
    run: (memory, signal) => journalOf(memory).delete({ operationId: "delete", signal }),
  },
];
