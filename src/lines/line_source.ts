/** The lines of an import, numbered, from texts or from the bytes of a file, one in memory at a time. */

import { isFunction, isInstance } from "../contracts/arguments.ts";
import type { Lines } from "../contracts/options/lines_options.ts";
import { ContractError } from "../errors.ts";
import { LINE_BYTES_MAX } from "../limits.ts";

/** A line without its end. */
export interface NumberedLine {
  /** From 1, empty lines counted. */
  readonly number: number;
  readonly text: string;
}

/** The source of the lines threw. Internal: its error is the caller's own, and handed on as it is. */
export class SourceFailure extends Error {}

const BYTE_ORDER_MARK = "\ufeff";
const LINE_FEED = 0x0a;

/**
 * The lines, in order. A line ends with a line feed, perhaps with a carriage return before it; a text ends its last
 * line, bytes go on where the piece before ended. One byte order mark at the very beginning is left out, and so are
 * empty lines.
 *
 * @throws {ContractError} for a line that is too long or not UTF-8, and where `lines` holds neither text nor bytes
 * @throws {SourceFailure} with what the source threw, or the signal's reason, as its cause
 */
export async function* readLines(
  lines: Lines,
  signal: AbortSignal | undefined,
): AsyncGenerator<NumberedLine> {
  const assembler = new LineAssembler();
  const pieces = iterate(typeof lines === "string" ? [lines] : lines);
  for await (const piece of eachPiece(pieces, signal)) yield* assembler.take(piece);
  yield* assembler.end();
}

type Pieces = Iterator<unknown> | AsyncIterator<unknown>;

/** Begins to read the pieces. */
function iterate(lines: unknown): Pieces {
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
  const message = "Expected lines to be text, or to give text or bytes one after another";
  throw new ContractError("lines", message, { cause });
}

/** Each piece; an abort ends the wait for one that does not come. What the source throws is told apart. */
async function* eachPiece(iterator: Pieces, signal: AbortSignal | undefined): AsyncGenerator<unknown> {
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
      // To yield a value is to ask whether it is a promise, which a proxy may refuse to say.
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

/** Whether a piece holds bytes; what only inherits from `Uint8Array` holds none. */
function isBytes(piece: unknown): piece is Uint8Array {
  return ArrayBuffer.isView(piece) && isInstance(piece, Uint8Array);
}

/** Tells the source that no more is wanted. One that is still at work, or has failed, is not waited for. */
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

/** Puts lines together. */
class LineAssembler {
  #number = 0;
  /** Bytes of the lines before. */
  #offset = 0;
  #pieces: Uint8Array[] = [];
  #pending = 0;

  *take(piece: unknown): Generator<NumberedLine> {
    if (typeof piece === "string") yield* this.#takeText(piece);
    else if (isBytes(piece)) yield* this.#takeBytes(piece);
    else throw new ContractError("lines", "Expected lines to give text or bytes", { details: this.#place() });
  }

  /** The last line may do without a line feed. */
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

  /** What comes may be overwritten by its owner once it asks for more. */
  #hold(bytes: Uint8Array): void {
    this.#pending += bytes.length;
    this.#requireLength(this.#pending);
    if (bytes.length > 0) this.#pieces.push(bytes.slice());
  }

  *#decoded(): Generator<NumberedLine> {
    const line = joined(this.#pieces, this.#pending);
    this.#pieces = [];
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

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Where bytes stop being UTF-8; null where they do not. */
function firstInvalidByte(bytes: Uint8Array): number | null {
  if (isUtf8(bytes, false)) return null;
  // The longest beginning that could still go on well.
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (middle <= bytes.length && isUtf8(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  return good;
}

function isUtf8(bytes: Uint8Array, mayGoOn: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: mayGoOn });
    return true;
  } catch {
    return false;
  }
}
