/** Tries the first lines on a store in memory, so that a file that holds no lines creates no store. */

import { ContractError } from "../../errors.ts";
import { LINE_BYTES_MAX, TRIED_LINES } from "../../limits.ts";
import { openMemory } from "../../open.ts";
import { importedCount, validatingLines } from "./lines_failure.ts";

const NEWLINE = 10;

/**
 * Validates the first lines and returns all chunks, these included.
 *
 * @throws {CommandError} if one of the first lines is invalid and nothing before it could be imported
 */
export async function tryBeginning(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<AsyncGenerator<Uint8Array>> {
  try {
    const beginning = await readBeginning(chunks);
    await validatingLines(() => tryOut(beginning, signal));
    return again(beginning.read, chunks);
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
}

interface Beginning {
  /** Everything that was read. */
  readonly read: readonly Uint8Array[];
  /** The whole lines of it, or all of it if the source has ended. */
  readonly text: Uint8Array;
  /** The number of its last line that is not empty. */
  readonly numbered: number;
  readonly isWhole: boolean;
}

async function readBeginning(chunks: AsyncGenerator<Uint8Array>): Promise<Beginning> {
  const read: Uint8Array[] = [];
  const found = { lines: 0, numbered: 0, end: 0, isWhole: false };
  let [bytes, start, number] = [0, 0, 0];
  while (found.lines < TRIED_LINES && bytes <= TRIED_LINES * LINE_BYTES_MAX) {
    const { done, value } = await chunks.next();
    if (done) {
      found.isWhole = true;
      break;
    }
    for (let at = value.indexOf(NEWLINE); at >= 0; at = value.indexOf(NEWLINE, at + 1)) {
      number++;
      // Empty lines do not count.
      if (bytes + at - start > 1) {
        found.lines++;
        found.numbered = number;
        found.end = bytes + at + 1;
      }
      start = bytes + at + 1;
    }
    read.push(value);
    bytes += value.length;
  }
  const text = new Uint8Array(await new Blob(read as BlobPart[]).arrayBuffer());
  const { numbered, end, isWhole } = found;
  return { read, text: isWhole ? text : text.subarray(0, end), numbered, isWhole };
}

async function tryOut({ text, numbered, isWhole }: Beginning, signal: AbortSignal): Promise<void> {
  await using memory = await openMemory(":memory:");
  try {
    await memory.importLines([text], { signal });
  } catch (error) {
    if (!(error instanceof ContractError) || importedCount(error.details) > 0) return signal.throwIfAborted();
    // A missing closing line, reported after the last line, is no fault where more lines follow.
    if (isWhole || Number(error.details.line) <= numbered) throw error;
  }
}

async function* again(
  read: readonly Uint8Array[],
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
}
