/** Every limit, with its unit and its reason. */

/** Members of one write group: beyond 64 a longer group lowers the cost of a member no further, but delays all. */
export const GROUP_MEMBERS_MAX = 64;

/** Bytes of payload in one write group: keeps the time the lock is held near one sync. */
export const GROUP_BYTES_MAX = 1 << 20;

/** Milliseconds of continuous writing, after which a pause lets other processes write. */
export const WRITING_WITHOUT_PAUSE_MS_MAX = 20;

/** Milliseconds of that pause. */
export const WRITING_PAUSE_MS = 2;

/** The shortest and longest sleep before a busy database is tried again, in milliseconds. The sleep is drawn at random. */
export const BUSY_SLEEP_MS = { min: 1, max: 10 } as const;

/** Milliseconds from a call until a lock held by others is reported as `BUSY`, unless the caller says otherwise. */
export const BUSY_TIMEOUT_MS_DEFAULT = 5_000;

/** The longest busy timeout, in milliseconds: an hour. */
export const BUSY_TIMEOUT_MS_MAX = 3_600_000;

/** Milliseconds for which `records.get` relies on its last comparison of files and ledger. */
export const GLANCE_MS = 10;

/** Milliseconds after which the files are compared even if their directory did not change. */
export const FILE_COMPARISON_MS = 20;

/** Milliseconds that the clock may be behind the highest time seen before it may no longer set deadlines. */
export const CLOCK_BEHIND_MS_MAX = 60_000;

/** The latest time that a clock may return: the end of JavaScript's `Date`, in milliseconds since the Unix epoch. */
export const CLOCK_MS_MAX = 8_640_000_000_000_000;

/** The latest time of a record, in seconds since the Unix epoch: the reference's bound. */
export const RECORD_SECONDS_MAX = 10_000_000_000;

/** The longest deadline of a checkpoint or a fact, in seconds: a day. */
export const RECORD_TTL_SECONDS_MAX = 86_400;

/** UTF-8 bytes of a record's stored body, for checkpoints, facts and kinds without a limit of their own. */
export const RECORD_BYTES_MAX = 2_048;

/** UTF-8 bytes of a record's stored body that a kind may allow: larger things belong in files. */
export const KIND_BYTES_MAX = 1_000_000;

/** The highest version of a kind: it only ever counts changes of a schema. */
export const KIND_VERSION_MAX = 1_000_000;

/** Unicode code points of a text in a checkpoint or fact. */
export const RECORD_TEXT_CODE_POINTS_MAX = 256;

/** Items of a checkpoint. */
export const CHECKPOINT_ITEMS_MAX = 8;

/** Unicode code points of an identifier of a kind with `identifiers: "text"`. */
export const IDENTIFIER_CODE_POINTS_MAX = 256;

/** Unicode code points of an operation id. */
export const OPERATION_ID_CODE_POINTS_MAX = 256;

/** Milliseconds for which a record operation's id is remembered: a day. */
export const RECORD_OPERATION_KEPT_MS = 86_400_000;

/** Remembered operations that one call may remove: two for each one added keep them from piling up. */
export const OPERATIONS_CLEARED_PER_CALL = 2;

/** Unicode code points of a session's title: a line in a list. */
export const TITLE_CODE_POINTS_MAX = 1_000;

/** Unicode code points of a subject: an id, an e-mail address, a name. */
export const SUBJECT_CODE_POINTS_MAX = 256;

/** Sessions in one page, unless the caller says otherwise. */
export const SESSIONS_DEFAULT = 50;

/** Sessions in one page: with metadata of the largest size, a page is 8 MB. */
export const SESSIONS_MAX = 500;

/** Erased sessions whose contents one group erases. */
export const DRAINED_SCOPES_PER_STEP = 64;

/** Turns of erased sessions after which a group ends: holds the lock for about a hundredth of a second. */
export const DRAINED_TURNS_PER_STEP = 512;

/** Records in one page of `list`, unless the caller says otherwise. */
export const LIST_ITEMS_DEFAULT = 100;

/** Records in one page of `list`. */
export const LIST_ITEMS_MAX = 1_000;

/** UTF-8 bytes of the values that a page of a list may hold, by what the kind allows each: a page is read at once. */
export const LIST_VALUES_BYTES_MAX = 8_000_000;

/** Calls of one transaction: their locks and statements hold up every other writer meanwhile. */
export const TRANSACTION_CALLS_MAX = 100;

/** Bytes that the calls of one transaction write: sixteen of the largest turns. */
export const TRANSACTION_BYTES_MAX = 16_000_000;

/** Keys of one `getMany`: with the largest values, 100 MB. */
export const GET_MANY_KEYS_MAX = 100;

/** Times `update` rereads and recomputes, unless the caller says otherwise. */
export const UPDATE_ATTEMPTS_DEFAULT = 8;

/** Times `update` may reread and recompute. */
export const UPDATE_ATTEMPTS_MAX = 100_000;

/** Rows that `check` reads in one transaction before it yields to other work. */
export const CHECK_ROWS_PER_BATCH = 500;

/** Kinds of records in one store, besides the built-in ones. */
export const KINDS_MAX = 1_000;

/** Deletions of other processes that one write group completes before it fails with `BUSY`. */
export const CATCH_UPS_PER_GROUP_MAX = 16;

/** Pending events that a read searches for its own scope; with more, it waits until all are applied. */
export const PENDING_EVENTS_READ_MAX = 1_000;

/** Events whose chain is verified in one batch before it yields to other work. */
export const CHAIN_EVENTS_PER_BATCH = 1_000;

/** Milliseconds after which a file that waits for its name counts as abandoned: normally it waits less than one. */
export const ABANDONED_AFTER_MS = 500;

/** Times a file with a second name is examined before that is an error: such names last less than a millisecond. */
export const ALIAS_LOOKS_MAX = 100;

/** The newest events of the ledger, which every open verifies: damage at the end of the file hits these. */
export const LEDGER_TAIL_EVENTS = 64;

/** Problems that one check lists: enough to understand the damage. */
export const CHECK_PROBLEMS_MAX = 1_000;

/** UTF-8 bytes of a turn's payload: the reference's bound. */
export const TURN_BYTES_MAX = 1_000_000;

/** UTF-8 bytes of the metadata of a message or turn, as canonical JSON: usage, model and status, not content. */
export const METADATA_BYTES_MAX = 16_384;

/** Nesting of JSON in metadata and parts: what stands around it in a payload and a line must fit as well. */
export const JSON_VALUE_DEPTH_MAX = 100;

/** Turns of one scope, unless the caller says otherwise: a working day of a coding agent, each step a turn. */
export const SCOPE_TURNS_DEFAULT = 50_000;

/** UTF-8 bytes of all turns of one scope, unless the caller says otherwise: the same day with what its tools returned. */
export const SCOPE_BYTES_DEFAULT = 256_000_000;

/** The most turns that a caller may allow a scope. */
export const SCOPE_TURNS_MAX = 10_000_000;

/** The most bytes that a caller may allow a scope. */
export const SCOPE_BYTES_MAX = 1_000_000_000_000;

/** Bytes of one piece of media: a few at a time are read and written without a pause that others would notice. */
export const MEDIA_PIECE_BYTES = 262_144;

/** Pieces of media that one read returns: 4 MiB. */
export const MEDIA_PIECES_PER_READ = 16;

/** Bytes of all media of one turn, unless the caller says otherwise: what a call holds in memory, and writes at once. */
export const TURN_MEDIA_BYTES_DEFAULT = 64_000_000;

/** The most bytes of media that a caller may allow a turn. */
export const TURN_MEDIA_BYTES_MAX = 1_000_000_000;

/** UTF-8 bytes of a pin's payload: the reference's bound. */
export const PIN_BYTES_MAX = 65_536;

/** Pins of one scope, inactive ones included: all of them are read for a snapshot. */
export const SCOPE_PINS_MAX = 256;

/** UTF-8 bytes of a summary's payload: the reference's bound. */
export const SUMMARY_BYTES_MAX = 256_000;

/** Journals of one scope: an export lists them in one read. */
export const SCOPE_JOURNALS_MAX = 1_000;

/** Unicode code points of a journal's part: a path, say. */
export const JOURNAL_PART_CODE_POINTS_MAX = 1_000;

/** UTF-8 bytes of an entry's JSON: as much as a turn. */
export const JOURNAL_ENTRY_BYTES_MAX = 1_000_000;

/** Unicode code points of an entry's uuid: any id that protocols give, short enough for an index. */
export const JOURNAL_UUID_CODE_POINTS_MAX = 256;

/** Entries that one call appends: a whole history may be sent again, in some tens of milliseconds. */
export const JOURNAL_ENTRIES_PER_CALL_MAX = 10_000;

/** Entries that one call of `pop` takes off, since it returns them all. */
export const JOURNAL_POP_MAX = 1_000;

/** Entries that one page of a read holds. */
export const JOURNAL_ENTRIES_PER_PAGE = 32;

/** UTF-8 bytes of a cached response: the reference's bound. */
export const REPLAY_BYTES_MAX = 1_000_000;

/** Cached responses of one scope; a further one evicts the oldest. */
export const SCOPE_REPLAYS_MAX = 100;

/** Seconds for which a cached response may be kept: a day. */
export const REPLAY_TTL_SECONDS_MAX = 86_400;

/** Seconds for which a cached response is kept, unless the caller says otherwise. */
export const REPLAY_TTL_SECONDS_DEFAULT = 3_600;

/** Operations of one scope that are remembered, some ten for each turn; the oldest are forgotten first. */
export const SCOPE_OPERATIONS_MAX = 100_000;

/** Expired rows that one group erases: bounds the time for which other writers wait. */
export const EXPIRED_PER_GROUP_MAX = 200;

/** Turns that one page of a read holds. */
export const TURNS_PER_PAGE = 32;

/** Times a call starts over because something expired meanwhile. */
export const UPKEEP_ROUNDS_MAX = 10_000;

/** Scopes with expired rows that are looked up at a time. */
export const EXPIRING_SCOPES_PER_READ = 50;

/** Tenants that a prune examines in one read, to find those with expired records: some milliseconds of work. */
export const TENANTS_PER_READ = 250;

/** Times a check rereads a scope that changed while it was read. After that the scope is left to the next check. */
export const CHECK_ATTEMPTS_PER_SCOPE = 5;

/** Indexes of one scope: of the profile in use, and of one that is being tried. */
export const SCOPE_INDEXES_MAX = 2;

/** Turns that one call of `indexBatch` indexes at most: the reference's bound. */
export const INDEX_BATCH_MAX = 256;

/** Turns that one call of `indexBatch` indexes, unless the caller says otherwise. */
export const INDEX_BATCH_DEFAULT = 32;

/** UTF-8 bytes of turns after which an index batch of a search or an assembly ends: tens of milliseconds of writing. */
export const INDEX_BATCH_BYTES = 65_536;

/** Sessions whose indexes a search of a tenant reads at a time: some milliseconds of work. */
export const SESSIONS_PER_READ = 250;

/** Terms times sessions that it looks up at a time. */
export const SESSION_TERMS_PER_READ = 2_000;

/** Sessions that it indexes side by side, so that they share commits. */
export const SESSIONS_INDEXED_TOGETHER = 8;

/** Roles that one search names: more than there are. */
export const ROLES_MAX = 64;

/** Chunks of one index: a scope of the default size, in the finest useful chunks. */
export const INDEX_CHUNKS_MAX = 1_000_000;

/** Indexes that a prune examines in one read, to find the retired ones: a millisecond of work. */
export const INDEXES_PER_READ = 500;

/** Postings of a retired index that one group removes: holds the lock about as long as a batch does. */
export const CLEARED_POSTINGS_MAX = 10_000;

/** Terms of a retired index that one group removes. */
export const CLEARED_TERMS_MAX = 4_096;

/** Turns of a retired index that one group removes. */
export const CLEARED_TURNS_MAX = 512;

/** Turns of one block of postings: a batch stays within the page cache, and a search reads few blocks. */
export const BLOCK_TURNS_MAX = 1_024;

/** Terms of an index that one request reads or writes: each takes a row of the index, and all of them are in memory at once. */
export const TERMS_PER_REQUEST = 1_024;

/** About how many bytes a new posting writes, with its term. */
export const POSTING_BYTES = 64;

/** Terms of turns that one transaction adds to an index or erases from it: some 15 ms of work, whatever the words. */
export const TERMS_PER_STEP = 1_024;

/** Postings of one row: a turn rewrites the rows that it changes. Beyond 64, bytes per posting hardly shrink. */
export const POSTINGS_PER_ROW_MAX = 64;

/** Items of a list argument (a history, pins, tools, chunks): as many as a scope may have turns. */
export const LIST_ARGUMENT_ITEMS_MAX = 10_000_000;

/** UTF-8 bytes of a system text or a question: as many as a turn has, and far beyond what is sent to a model. */
export const REQUEST_TEXT_BYTES_MAX = 1_000_000;

/** Attempts of a search or an assembly whose scope keeps changing; after that it fails with `SNAPSHOT`. */
export const FRESH_TRIES_MAX = 8;

/** Turns of the first page that an assembly reads. Each further one has twice as many, up to `TURNS_PER_PAGE`. */
export const FIRST_PAGE_TURNS = 4;

/** Postings that one read takes from the store before it yields to other work. */
export const POSTINGS_PER_READ = 2_048;

/** Turns of an index that one read takes from the store before it yields to other work. */
export const INDEXED_TURNS_PER_READ = 256;

/** Postings that a search reads before it first tests whether the rest can matter. Each further test comes after twice as many. */
export const POSTINGS_BEFORE_LOOK = 256;

/** Chunks whose scores are completed in one read: about as many as a search returns. */
export const SETTLED_PER_READ = 6;

/** Token counts that a store remembers, per generation of its cache: a hash and a number each, some megabytes in all. */
export const REMEMBERED_COUNTS_MAX = 40_000;

/** Attempts to claim a temporary file after removing one that was left there. */
export const WORK_FILE_CLAIMS_MAX = 16;

/** Combining marks that the command shows on one letter: Hebrew with vowels and accents has four. More cover other lines. */
export const MARKS_SHOWN_MAX = 4;

/** Terminal cells up to which a grapheme is never split: Unicode sets no limit to the length of one. */
export const GRAPHEME_CELLS_MAX = 4;

/** Names of unfinished files that one read takes from the ledger. */
export const WORKS_PER_READ = 100;

/** Rows that a backup copies before it yields to other work: some 30 MB with the largest turns. */
export const COPIED_ROWS_PER_BATCH = 32;

/** Bytes of a backup that a restore copies before it yields to other work. */
export const COPIED_BYTES_PER_BATCH = 1 << 20;

/** The highest count in a meta row: beyond any store, and well within JavaScript's exact integers. */
export const META_COUNT_MAX = 2 ** 52;

/** Restores of one lineage: after more, revisions would exceed JavaScript's exact integers. */
export const GENERATIONS_MAX = (1 << 21) - 1;

/** Revisions that one generation of a lineage may issue, so that none from before a restore matches after it. */
export const REVISIONS_PER_GENERATION = 2 ** 32;

/** Scopes whose revisions a restore moves before it yields to other work. */
export const SCOPES_MOVED_PER_STEP = 500;

/** The jump of the generation after a ledger was lost: more restores than a lineage ever sees. */
export const LOST_GENERATIONS = 1_024;

/** UTF-8 bytes of one line of an export: a turn of the largest size with its escapes and fields, and a margin. */
export const LINE_BYTES_MAX = 4_000_000;

/** Lines that the command tries before it creates a store for them: a header, a mark, and the first item. */
export const TRIED_LINES = 3;

/** Rows that one page of an export reads. */
export const EXPORT_ROWS_PER_PAGE = 32;

/** UTF-8 bytes of turns that an export reads of a scope in one transaction: a few milliseconds. */
export const EXPORT_AT_ONCE_BYTES = 262_144;

/**
 * UTF-8 bytes of turns up to which an export buffers a whole scope before it yields its lines. Buffering keeps writers from
 * making it fail; the bound covers every scope of the default size.
 */
export const EXPORT_HELD_BYTES = 8_000_000;

/** Lines that one group of an import writes. */
export const IMPORT_GROUP_LINES = 64;

/** UTF-8 bytes of lines after which an import writes a group. */
export const IMPORT_GROUP_BYTES = 262_144;

/**
 * How far into its generation's range an import accepts a record's own revision. The other half of the range is left for
 * revisions issued later.
 */
export const IMPORTED_REVISIONS_MAX = REVISIONS_PER_GENERATION / 2;

/** Tenants and scopes in one page of `inspect`, unless the caller says otherwise. */
export const INSPECTED_DEFAULT = 100;

/** Tenants and scopes in one page of `inspect`. */
export const INSPECTED_MAX = 1_000;

/** Characters that the command line buffers before it writes: few writes for long results, little memory. */
export const OUTPUT_BUFFER_CHARACTERS = 65_536;

/** Milliseconds between two drawings of a progress bar: ten a second look steady, and cost little. */
export const PROGRESS_INTERVAL_MS = 100;

/** Bytes of a file from which the command reads a receipt or watermark. These have less than one kilobyte. */
export const SMALL_FILE_BYTES_MAX = 65_536;
