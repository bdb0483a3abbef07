/** Breaks of journals. */

import type { Mutant } from "../mutant.ts";

const SUITE = "tests/journals/journals_test.ts";
const LINES = "tests/journals/journal_lines_test.ts";

/** What a journal must not lose, mix or bring back. */
export const JOURNAL_BREAKS: readonly Mutant[] = [
  {
    name: "a uuid with other JSON is skipped",
    file: "src/journals/append_entries.ts",
    find: "return one === other;",
    replace: "return one !== undefined && other !== undefined;",
    test: SUITE,
    promise: "A uuid seen before with the same JSON is skipped",
    why: "an entry that was never stored would count as stored",
  },
  {
    name: "a read goes on although entries have gone",
    file: "src/journals/read_entries.ts",
    find: "now.rewritten <= journal.revision",
    replace: "now.revision >= journal.revision",
    test: SUITE,
    promise: "read() goes on over many pages while others append",
    why: "what was erased would follow a reader out of its page",
  },
  {
    name: "turns do not count the bytes of journals",
    file: "src/tables/scopes.ts",
    find: "return turnBytes + journalBytes + mediaBytes;",
    replace: "return turnBytes + mediaBytes + 0 * journalBytes;",
    test: SUITE,
    promise: "both share the scope's bytes",
    why: "a scope would exceed its limit",
  },
  {
    name: "an event of a cleared journal erases nothing",
    file: "src/deletion/apply_deletion.ts",
    find: "      yield* eraseEntriesFrom(change, journal, 0);\n",
    replace: "",
    test: "tests/journals/journal_restore_test.ts",
    promise: "none that was cleared or deleted, with a write-ahead log",
    why: "a restore would bring back what was cleared",
  },
  {
    name: "a restore leaves the revisions of journals as they are",
    file: "src/scopes/restored_scopes.ts",
    find: "if (row.journals > 0) yield* moveJournals(transaction, row, generation);",
    replace: "if (row.journals < 0) yield* moveJournals(transaction, row, generation);",
    test: "tests/journals/journal_restore_test.ts",
    promise: "A restore gives a journal revisions of a range of its own",
    why: "a revision from before the restore would match other entries",
  },
  {
    name: "an import does not look at clearings",
    file: "src/lines/tombstone_pass.ts",
    find: "event.reserved || sequence === null || event.sequence > sequence",
    replace: "event.reserved || (sequence === null && event.sequence < 0)",
    test: LINES,
    promise: "An import brings back no entry that was cleared",
    why: "what was erased would come back",
  },
  {
    name: "an import appends behind entries that differ",
    file: "src/lines/import_scope.ts",
    find: 'if (current.differing === item.part) return "conflicting";',
    replace: "",
    test: LINES,
    promise: "Entries come in behind equal ones",
    why: "two histories would be mixed",
  },
  {
    name: "a receipt of a clearing is valid whatever remains",
    file: "src/deletion/verify_receipt.ts",
    find: "event.reserved ? Number.MAX_SAFE_INTEGER : event.floor",
    replace: "event.reserved ? Number.MAX_SAFE_INTEGER : 0",
    test: "tests/journals/journal_damage_test.ts",
    promise: "verifyReceipt() finds entries that a clearing or a deletion left behind",
    why: "entries that were left would be proved gone",
  },
];
