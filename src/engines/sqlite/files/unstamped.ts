/** Recognizes a first page that has no application id yet. */

const PAGE_COUNT_OFFSET = 28;
const SCHEMA_COOKIE_OFFSET = 40;
const USER_VERSION_OFFSET = 60;
const INCREMENTAL_VACUUM_OFFSET = 64;
const APPLICATION_ID_OFFSET = 68;

/**
 * Whether a first page is that of a file of ours before it was stamped.
 *
 * SQLite writes the first page when incremental vacuum is set, and only then can the application id be set. Such a
 * file never had content.
 */
export function isUnstamped(view: DataView): boolean {
  return view.getInt32(APPLICATION_ID_OFFSET) === 0 && view.getInt32(USER_VERSION_OFFSET) === 0 &&
    view.getInt32(SCHEMA_COOKIE_OFFSET) === 0 && view.getInt32(PAGE_COUNT_OFFSET) === 1 &&
    view.getInt32(INCREMENTAL_VACUUM_OFFSET) === 1;
}
