/** What the calls of a journal run once they are validated, in one place: it is loaded by the first of them. */

export { receiptOf } from "../conversations/deletion_receipt.ts";
export { Damage } from "../engine/damage.ts";
export { appendEntries } from "./append_entries.ts";
export { clearOrDelete } from "./erase_journal.ts";
export { readJournalRevision } from "./journal_place.ts";
export { popEntries } from "./pop_entries.ts";
export { changedMeanwhile, isAsViewed, readEntryPage, viewJournal } from "./read_entries.ts";
export { peekJournal } from "../tables/journals.ts";
export { tryScrub } from "../deletion/scrub.ts";
