/**
 * Checks whether a log next to a database belongs to it.
 *
 * SQLite does not check: it replays any log with the right name, page by page, over the database file, and would
 * corrupt a store before it can be refused.
 *
 * The formats are those of https://www.sqlite.org/walformat.html and https://www.sqlite.org/fileformat.html.
 */

import { because, StorageError } from "../../../errors.ts";
import { readStart } from "./file_start.ts";
import { isUnstamped } from "./unstamped.ts";

type View = DataView<ArrayBuffer>;

/** Pages of a log with their numbers, in the order of the log. */
type Pages = Iterable<readonly [number: number, page: View]>;

/** A log names its store in its first transaction, which holds its pages in order. */
const LOG_BYTES_READ_MAX = 1 << 20;

const APPLICATION_ID_OFFSET = 68;
const FIRST_PAGE = 1;

/** Root page of `meta`, the first table of both files: with a pointer map on page 2 that is page 3. */
const META_PAGE = 3;

const WAL_MAGIC = 0x377f0682;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

const JOURNAL_MAGIC = 0xd9d505f920a163d7n;
const JOURNAL_HEADER_BYTES = 28;
/** Offset of the number of pages that the file had before. */
const JOURNAL_PAGE_COUNT_OFFSET = 16;
const JOURNAL_PAGE_SIZE_OFFSET = 24;

const TABLE_LEAF = 0x0d;
const CELL_POINTER_OFFSET = 8;
/** The serial types of `id`, which is stored as the row id, and of `lineage`, a text of 32 bytes. */
const META_TYPES = [0, 13 + 2 * 32] as const;
const LINEAGE = /^[0-9a-f]{32}$/;

/** The logs that SQLite may replay, and the reader of each. */
const LOGS = [["-wal", readWal], ["-journal", readJournal]] as const;

/** A database file with logs next to it. */
interface FileWithLogs {
  readonly path: string;
  /** The application id that its header must have. */
  readonly applicationId: number;
  /** The file's name in error messages. */
  readonly what: string;
  /** The lineage in the file itself; null if it has none or cannot be read. */
  readonly lineage: string | null;
}

/**
 * Refuses the log of another program or another store; changes nothing.
 *
 * A log that names no store passes: SQLite would not replay it, or its database was never finished and has nothing to
 * lose.
 */
export function assertOwnLogs({ path, applicationId, what, lineage }: FileWithLogs): void {
  for (const [suffix, read] of LOGS) {
    for (const [number, page] of read(startOf(path + suffix, LOG_BYTES_READ_MAX))) {
      if (
        number === FIRST_PAGE && page.getInt32(APPLICATION_ID_OFFSET) !== applicationId && !isUnstamped(page)
      ) {
        throw foreign(what);
      }
      if (number !== META_PAGE) continue;
      const named = lineageOf(page);
      if (named !== null && lineage !== null && named !== lineage) throw foreign(what);
      break;
    }
  }
}

function foreign(what: string): StorageError {
  return new StorageError("UNSAFE", `Cannot open store: a sidecar of ${what} belongs to another file`, {
    details: because("foreign-log", { what: `a sidecar of ${what}` }),
  });
}

function startOf(path: string, bytesMax: number): View {
  return new DataView(readStart(path, bytesMax)?.buffer ?? new ArrayBuffer());
}

/** Yields the pages of a write-ahead log, up to the first frame that SQLite would not replay. */
function* readWal(log: View): Pages {
  if (log.byteLength < WAL_HEADER_BYTES || (log.getUint32(0) & ~1) !== WAL_MAGIC) return;
  const littleEndian = (log.getUint32(0) & 1) === 0;
  const pageBytes = log.getUint32(8);
  if (!isPageSize(pageBytes)) return;
  const salt = log.getBigUint64(16);
  let sums = addToSums(log, 0, 24, [0, 0], littleEndian);
  if (!isStored(log, 24, sums)) return;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= log.byteLength; at += frameBytes) {
    sums = addToSums(log, at, 8, sums, littleEndian);
    sums = addToSums(log, at + FRAME_HEADER_BYTES, pageBytes, sums, littleEndian);
    if (log.getBigUint64(at + 8) !== salt || !isStored(log, at + 16, sums)) return;
    yield [log.getUint32(at), new DataView(log.buffer, at + FRAME_HEADER_BYTES, pageBytes)];
  }
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

type Sums = readonly [number, number];

/** Continues the log's own checksum, which is cumulative from frame to frame. */
function addToSums(log: View, at: number, bytes: number, [first, second]: Sums, littleEndian: boolean): Sums {
  for (let offset = at; offset < at + bytes; offset += 8) {
    first = (first + log.getUint32(offset, littleEndian) + second) >>> 0;
    second = (second + log.getUint32(offset + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}

function isStored(log: View, at: number, [first, second]: Sums): boolean {
  return log.getUint32(at) === first && log.getUint32(at + 4) === second;
}

/**
 * Whether a rollback journal says that its file was empty before, so that SQLite will empty it again.
 *
 * A power loss while the first page of a file is written may leave any of its sectors blank. Such a file has no
 * second page.
 */
export function undoesFirstPage(path: string, fileBytes: number): boolean {
  const journal = startOf(`${path}-journal`, JOURNAL_HEADER_BYTES);
  return journal.byteLength === JOURNAL_HEADER_BYTES && journal.getBigUint64(0) === JOURNAL_MAGIC &&
    journal.getUint32(JOURNAL_PAGE_COUNT_OFFSET) === 0 &&
    fileBytes <= journal.getUint32(JOURNAL_PAGE_SIZE_OFFSET);
}

/** Yields the pages that a rollback journal would restore. */
function* readJournal(journal: View): Pages {
  if (journal.byteLength < JOURNAL_HEADER_BYTES || journal.getBigUint64(0) !== JOURNAL_MAGIC) return;
  const nonce = journal.getUint32(12);
  const sectorBytes = journal.getUint32(20);
  const pageBytes = journal.getUint32(JOURNAL_PAGE_SIZE_OFFSET);
  if (!isPageSize(pageBytes) || sectorBytes < JOURNAL_HEADER_BYTES) return;
  const recordBytes = 4 + pageBytes + 4;
  for (let at = sectorBytes; at + recordBytes <= journal.byteLength; at += recordBytes) {
    const page = new DataView(journal.buffer, at + 4, pageBytes);
    if (journal.getUint32(at + 4 + pageBytes) !== sampleSum(page, nonce)) return;
    yield [journal.getUint32(at), page];
  }
}

/** The journal's checksum of a page: every 200th byte, from the end. */
function sampleSum(page: View, nonce: number): number {
  let sum = nonce;
  for (let offset = page.byteLength - 200; offset > 0; offset -= 200) sum += page.getUint8(offset);
  return sum >>> 0;
}

/** The lineage in the one row of `meta`; null if the page holds anything else. */
function lineageOf(page: View): string | null {
  if (page.getUint8(0) !== TABLE_LEAF || page.getUint16(3) !== 1) return null;
  const cell = page.getUint16(CELL_POINTER_OFFSET);
  // A cell: payload size, row id, header size, then the types and the values of the columns; sizes are varints.
  const [payloadBytes, idAt] = readVarint(page, cell);
  const [id, headerAt] = readVarint(page, idAt);
  const [headerBytes, typesAt] = readVarint(page, headerAt);
  const valuesAt = headerAt + headerBytes;
  const same = META_TYPES.every((type, column) =>
    page.byteLength > typesAt + column && typeAt(column) === type
  );
  if (id !== 1 || !same || payloadBytes < headerBytes + 32 || valuesAt + 32 > page.byteLength) return null;
  const text = String.fromCharCode(...new Uint8Array(page.buffer, page.byteOffset + valuesAt, 32));
  return LINEAGE.test(text) ? text : null;

  function typeAt(column: number): number {
    return page.getUint8(typesAt + column);
  }
}

/** Reads a varint of at most two bytes, as all in this row are, and its end; -1 if it cannot be one. */
function readVarint(page: View, at: number): readonly [value: number, end: number] {
  if (at + 2 > page.byteLength) return [-1, at];
  const first = page.getUint8(at);
  if (first < 0x80) return [first, at + 1];
  const second = page.getUint8(at + 1);
  return second < 0x80 ? [((first & 0x7f) << 7) | second, at + 2] : [-1, at];
}
