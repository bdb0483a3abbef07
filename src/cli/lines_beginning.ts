/** The beginning of lines, tried on a store in memory: lines that are none make no store. */

import { ContractError } from "../errors.ts";
import { LINE_BYTES_MAX, TRIED_LINES } from "../limits.ts";
import { openMemory } from "../open_memory.ts";
import { importedCount, judgingLines } from "./lines_failure.ts";

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
    await judgingLines(() => tryOut(beginning, signal));
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
  readonly isWhole: boolean;
}

async function readBeginning(pieces: AsyncGenerator<Uint8Array>): Promise<Beginning> {
  const read: Uint8Array[] = [];
  let [lines, bytes, whole, last, isWhole] = [0, 0, 0, NEWLINE, false];
  while (lines < TRIED_LINES && bytes <= TRIED_LINES * LINE_BYTES_MAX) {
    const { done, value } = await pieces.next();
    if (done) {
      isWhole = true;
      break;
    }
    for (let at = value.indexOf(NEWLINE); at >= 0; at = value.indexOf(NEWLINE, at + 1)) {
      // Empty lines are passed over.
      if ((at > 0 ? value[at - 1] : last) !== NEWLINE) lines++;
      whole = bytes + at + 1;
    }
    last = value.at(-1) ?? last;
    read.push(value);
    bytes += value.length;
  }
  const text = new Uint8Array(await new Blob(read as BlobPart[]).arrayBuffer());
  return { read, text: isWhole ? text : text.subarray(0, whole), isWhole };
}

async function tryOut({ text, isWhole }: Beginning, signal: AbortSignal): Promise<void> {
  await using memory = await openMemory(":memory:");
  try {
    await memory.importLines([text], { signal });
  } catch (error) {
    if (!(error instanceof ContractError) || importedCount(error.details) > 0) return signal.throwIfAborted();
    // That the closing line is missing says nothing where more lines come.
    if (isWhole || error.field !== "lines") throw error;
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
