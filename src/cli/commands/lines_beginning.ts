/** The beginning of lines, tried on a store in memory: lines that are none make no store. */

import { ContractError } from "../../errors.ts";
import { LINE_BYTES_MAX, TRIED_LINES } from "../../limits.ts";
import { openMemory } from "../../open.ts";
import { importedCount, validatingLines } from "./lines_failure.ts";

const NEWLINE = 10;

/**
 * Gives the same pieces again.
 *
 * @throws {CommandError} if a line of the beginning is wrong, and nothing before it could be imported
 */
export async function tried(
  pieces: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<AsyncGenerator<Uint8Array>> {
  try {
    const beginning = await readBeginning(pieces);
    await validatingLines(() => tryOut(beginning, signal));
    return again(beginning.read, pieces);
  } catch (error) {
    await pieces.return(undefined);
    throw error;
  }
}

interface Beginning {
  /** Everything that was read. */
  readonly read: readonly Uint8Array[];
  /** What of it is whole lines, or all of it at the end. */
  readonly text: Uint8Array;
  /** The number of the last line in it that is not empty. */
  readonly numbered: number;
  readonly isWhole: boolean;
}

async function readBeginning(pieces: AsyncGenerator<Uint8Array>): Promise<Beginning> {
  const read: Uint8Array[] = [];
  const found = { lines: 0, numbered: 0, end: 0, isWhole: false };
  let [bytes, start, number] = [0, 0, 0];
  while (found.lines < TRIED_LINES && bytes <= TRIED_LINES * LINE_BYTES_MAX) {
    const { done, value } = await pieces.next();
    if (done) {
      found.isWhole = true;
      break;
    }
    for (let at = value.indexOf(NEWLINE); at >= 0; at = value.indexOf(NEWLINE, at + 1)) {
      number++;
      // Empty lines are passed over.
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
    // That the closing line is missing, behind the last one, says nothing where more lines come.
    if (isWhole || Number(error.details.line) <= numbered) throw error;
  }
}

async function* again(
  read: readonly Uint8Array[],
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    yield* pieces;
  } finally {
    await pieces.return(undefined);
  }
}
