/** Breaks of exporting and importing. */

import type { Mutant } from "../mutant.ts";

const TEST = "tests/mutants/targets/lines_test.ts";

/** What an import must not bring in, and what an export must not leave out or mix. */
export const LINES_BREAKS: readonly Mutant[] = [
  {
    name: "an import does not look at floors",
    file: "src/lines/tombstone_pass.ts",
    find: "if (reserved || revision <= floor) return true;",
    replace: "if (reserved) return true;",
    test: TEST,
    promise: "An import does not bring back a turn that expired here",
    why: "what is gone would come back with its old revision",
  },
  {
    name: "an import does not look at what happened since the lines were written",
    file: "src/lines/tombstone_pass.ts",
    find: "return (yield* transaction.eventsOf(keyHash)).some((event) => event.sequence > sequence);",
    replace: "return sequence < 0 && (yield* transaction.eventsOf(keyHash)).length > 0;",
    test: TEST,
    promise: "An import into the same store skips what something happened to since",
    why: "a branch from before a restore could bring back what was deleted after it",
  },
  {
    name: "an import believes another store's revisions of records",
    file: "src/lines/tombstone_pass.ts",
    find: "if (sequence === null) return events.length > 0;",
    replace: "if (sequence === null) return events.some((event) => revision <= event.floor);",
    test: TEST,
    promise: "An import does not bring back a record that was forgotten here",
    why: "the numbers of two stores have nothing to do with each other",
  },
  {
    name: "an imported revision does not move the counter",
    file: "src/lines/import_records.ts",
    find: "transaction.skipRevisions(revision);",
    replace: "",
    test: TEST,
    promise: "No put is given a revision that came in",
    why: "a later put would be given the same number again",
  },
  {
    name: "a missing closing line is not told",
    file: "src/lines/import_lines.ts",
    find: "if (!this.#ended) {",
    replace: "if (this.#line < 0) {",
    test: TEST,
    promise: "Lines that were cut off are told",
    why: "half a store would pass for a whole one",
  },
  {
    name: "the digest is not looked at",
    file: "src/lines/import_lines.ts",
    find: "end.digest === this.#digest.finish()",
    replace: "end.digest.length === this.#digest.finish().length",
    test: TEST,
    promise: "Lines that were changed are told",
    why: "a changed file would pass for the one that was exported",
  },
  {
    name: "what is due is exported",
    file: "src/lines/read_scope.ts",
    find: "if (expiredTurns.has(row[0] as number) || row[0] as number > lastTurn) continue;",
    replace: "if (row[0] as number > lastTurn) continue;",
    test: TEST,
    promise: "What is due is in no export",
    why: "what has expired would be copied to where nothing erases it",
  },
  {
    name: "an import looks for no deleted message",
    file: "src/lines/import_scope.ts",
    find: 'if (deleted.length > 0) return "refused";',
    replace: "",
    test: "tests/restore/deleted_messages_test.ts",
    promise: "an import brings no deleted message back",
    why: "what was deleted would come back in another turn",
  },
  {
    name: "an import writes over what is there",
    file: "src/lines/import_records.ts",
    find: 'if (old !== null) return isSame(old, record) ? "unchanged" : "conflicting";',
    replace: 'if (old !== null && isSame(old, record)) return "unchanged";',
    test: TEST,
    promise: "An import overwrites nothing",
    why: "a compare-and-swap that nobody made",
  },
  {
    name: "pages of a scope are of different moments",
    file: "src/lines/read_scope.ts",
    find: "if (now === null || !isOnlyAppendedTo(viewed, now)) return null;",
    replace: "if (now === null) return null;",
    test: TEST,
    promise: "A scope that changes while it is exported in pages",
    why: "a pin could cite a text that is not in the export",
  },
];
