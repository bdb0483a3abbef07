/** A first page that does not say yet whose it is. */

const PAGE_COUNT_OFFSET = 28;
const SCHEMA_COOKIE_OFFSET = 40;
const USER_VERSION_OFFSET = 60;
const INCREMENTAL_VACUUM_OFFSET = 64;
const APPLICATION_ID_OFFSET = 68;

/**
 * Whether a file is one of ours before it was stamped: SQLite writes the first page when it is told of incremental
 * vacuum, and only then can the page say whose it is. Nothing has ever been in such a file.
 */
export function isUnstamped(view: DataView): boolean {
  return view.getInt32(APPLICATION_ID_OFFSET) === 0 && view.getInt32(USER_VERSION_OFFSET) === 0 &&
    view.getInt32(SCHEMA_COOKIE_OFFSET) === 0 && view.getInt32(PAGE_COUNT_OFFSET) === 1 &&
    view.getInt32(INCREMENTAL_VACUUM_OFFSET) === 1;
}
