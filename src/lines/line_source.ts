/** Splits texts or the bytes of a file into numbered lines, with one line in memory at a time. */

import { isBytes, isFunction } from "../contracts/arguments.ts";
import type { Lines } from "../contracts/options/lines_options.ts";
import { ContractError } from "../errors.ts";
import { LINE_BYTES_MAX } from "../limits.ts";

/** A line without its line ending. */
export interface NumberedLine {
  /** From 1; empty lines count. */
  readonly number: number;
  readonly text: string;
}

/** Wraps an error of the source of the lines. Internal: the caller's own error is rethrown unchanged. */
export class SourceFailure extends Error {}

const BYTE_ORDER_MARK = "\ufeff";
const LINE_FEED = 0x0a;

/**
 * Yields the lines in order. A line ends with LF or CR LF. The end of a text also ends a line; bytes continue where the
 * previous chunk ended. A byte order mark at the very beginning, and empty lines, are skipped.
 *
 * @throws {ContractError} for a line that is too long or not UTF-8, and if `lines` yields neither text nor bytes
 * @throws {SourceFailure} with what the source threw, or the signal's reason, as its cause
 */
export async function* readLines(
  lines: Lines,
  signal: AbortSignal | undefined,
): AsyncGenerator<NumberedLine> {
  const assembler = new LineAssembler();
  const chunks = iterate(typeof lines === "string" ? [lines] : lines);
  for await (const chunk of eachChunk(chunks, signal)) yield* assembler.take(chunk);
  yield* assembler.end();
}

type Chunks = Iterator<unknown> | AsyncIterator<unknown>;

/** Begins to read the chunks. */
function iterate(lines: unknown): Chunks {
  let cause: unknown;
  try {
    const given = lines as Iterable<unknown> & AsyncIterable<unknown>;
    if (typeof lines === "object" && lines !== null) {
      if (isFunction(given[Symbol.asyncIterator])) return given[Symbol.asyncIterator]();
      if (isFunction(given[Symbol.iterator])) return given[Symbol.iterator]();
    }
  } catch (error) {
    cause = error; // a proxy that was revoked or whose trap throws, or what only inherits from an iterable
  }
  throw new ContractError("lines", "Expected lines to be text, or an iterable of text or bytes", { cause });
}

/** Yields each chunk; an abort ends the wait for the next one. Wraps what the source throws in `SourceFailure`. */
async function* eachChunk(iterator: Chunks, signal: AbortSignal | undefined): AsyncGenerator<unknown> {
  let ended = false;
  let waiting = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      waiting = true;
      const next = await nextOrFailure(iterator, signal);
      waiting = false;
      if (next.done) {
        ended = true;
        return;
      }
      // Yielding a value tests whether it is a promise, which a proxy may refuse to say.
      yield typeof next.value === "string" || isBytes(next.value) ? next.value : null;
    }
  } finally {
    if (!ended) await endEarly(iterator, waiting);
  }
}

async function nextOrFailure(
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<unknown>> {
  try {
    return await orAborted(iterator.next(), signal);
  } catch (cause) {
    throw new SourceFailure("The source of the lines failed", { cause });
  }
}

/** Ends the source early. One that is still working, or has failed, is not waited for. */
async function endEarly(
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  waiting: boolean,
): Promise<void> {
  const ending = Promise.resolve(iterator.return?.());
  if (waiting) ending.catch(() => {});
  else await ending;
}

function orAborted<T>(value: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T> {
  if (signal === undefined || !(value instanceof Promise)) return value;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Assembles lines from chunks. */
class LineAssembler {
  #number = 0;
  /** Bytes of the previous lines. */
  #offset = 0;
  #chunks: Uint8Array[] = [];
  #pending = 0;

  *take(chunk: unknown): Generator<NumberedLine> {
    if (typeof chunk === "string") yield* this.#takeText(chunk);
    else if (isBytes(chunk)) yield* this.#takeBytes(chunk);
    else {throw new ContractError("lines", "Expected lines to yield text or bytes", {
        details: this.#place(),
      });}
  }

  /** Ends the last line, which may have no line feed. */
  *end(): Generator<NumberedLine> {
    if (this.#pending > 0) yield* this.#decoded();
  }

  *#takeText(text: string): Generator<NumberedLine> {
    yield* this.end();
    for (let start = 0; start < text.length;) {
      const found = text.indexOf("\n", start);
      const end = found < 0 ? text.length : found;
      this.#requireLength(end - start);
      yield* this.#line(text.slice(start, end));
      start = end + 1;
    }
  }

  *#takeBytes(bytes: Uint8Array): Generator<NumberedLine> {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#hold(bytes.subarray(start, end));
      yield* this.#decoded();
      this.#offset++;
      start = end + 1;
    }
    this.#hold(bytes.subarray(start));
  }

  /** Copies the bytes: their owner may overwrite them once it is asked for more. */
  #hold(bytes: Uint8Array): void {
    this.#pending += bytes.length;
    this.#requireLength(this.#pending);
    if (bytes.length > 0) this.#chunks.push(bytes.slice());
  }

  *#decoded(): Generator<NumberedLine> {
    const line = joined(this.#chunks, this.#pending);
    this.#chunks = [];
    this.#pending = 0;
    const invalid = firstInvalidByte(line);
    if (invalid !== null) {
      const details = { ...this.#place(), offset: this.#offset + invalid };
      throw new ContractError("lines", `Expected line ${details.line} to be valid UTF-8`, { details });
    }
    this.#offset += line.length;
    yield* this.#line(DECODER.decode(line));
  }

  *#line(text: string): Generator<NumberedLine> {
    const number = ++this.#number;
    const whole = number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    if (line !== "") yield { number, text: line };
  }

  #requireLength(length: number): void {
    if (length <= LINE_BYTES_MAX) return;
    const { line } = this.#place();
    throw new ContractError("lines", `Expected line ${line} to have at most ${LINE_BYTES_MAX} bytes`, {
      details: { line, maximum: LINE_BYTES_MAX },
    });
  }

  #place(): { readonly line: number } {
    return { line: this.#number + 1 };
  }
}

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The offset of the first byte that is not valid UTF-8; null if all are. */
function firstInvalidByte(bytes: Uint8Array): number | null {
  if (isUtf8(bytes, false)) return null;
  // Binary search for the longest prefix that valid bytes could continue.
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (middle <= bytes.length && isUtf8(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  return good;
}

function isUtf8(bytes: Uint8Array, mayContinue: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: mayContinue });
    return true;
  } catch {
    return false;
  }
}
