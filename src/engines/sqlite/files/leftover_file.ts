/** Distinguishes a work file of a killed process from any other file under the same name. */

import { readStart } from "./file_start.ts";
import { APPLICATION_IDS } from "./header.ts";
import { isUnstamped } from "./unstamped.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const APPLICATION_ID_OFFSET = 68;

const OURS: ReadonlySet<number> = new Set(Object.values(APPLICATION_IDS));

/** The first bytes of an export as lines. */
const LINES_START = new TextEncoder().encode('{"type":"header","format":"holdfast-lines",');

/** Whether a file's header has one of our application ids. */
export function isStamped(path: string): boolean {
  const start = readStart(path, HEADER_BYTES) ?? new Uint8Array();
  return start.length === HEADER_BYTES &&
    OURS.has(new DataView(start.buffer).getInt32(APPLICATION_ID_OFFSET));
}

/** Whether a work file is an unfinished file of ours: empty, not stamped yet, or ours by its header. */
export function isOurLeftover(path: string): boolean {
  const start = readStart(path, HEADER_BYTES) ?? new Uint8Array();
  if (LINES_START.every((byte, at) => start[at] === byte)) return true;
  if (start.every((byte) => byte === 0)) return true;
  if (start.length < HEADER_BYTES) return false;
  const header = new DataView(start.buffer);
  if (OURS.has(header.getInt32(APPLICATION_ID_OFFSET))) return true;
  return MAGIC === String.fromCharCode(...start.subarray(0, MAGIC.length)) && isUnstamped(header);
}
