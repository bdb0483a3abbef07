/** Where the commands print. All text goes through here and is made harmless; only JSON and lines pass as they are. */

import { OUTPUT_BUFFER_CHARACTERS } from "../../limits.ts";
import { wrapped } from "./display_width.ts";
import { CommandError } from "./failure.ts";
import { escapeJson, harmless, harmlessJson, harmlessLines } from "./harmless_text.ts";
import { systemFailure } from "./system_failure.ts";
import { type Column, tableLines } from "./table.ts";

/** Whoever read the output has gone: nothing is wrong, and there is nothing more to do. */
export class ReaderGone extends Error {}

type Style = "bold" | "red" | "green";
const STYLES: Readonly<Record<Style, string>> = { bold: "1", red: "31", green: "32" };

const BAR = "  | ";
const INDENT = "    ";
const BLOCK_CELLS_MIN = 8;
const COLUMNS_DEFAULT = 80;
const ENCODER = new TextEncoder();

/** A stream that is written to, such as `Deno.stdout`. */
interface Stream {
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
  isTerminal(): boolean;
}

/** Where results go, and where errors, notes and progress do. */
export interface Streams {
  readonly output: Stream;
  readonly errors: Stream;
}

/** Standard output and error of one command. */
export class Screen {
  /** Cells of the terminal that the output goes to; null where it goes elsewhere. */
  readonly columns: number | null;
  /** Cells of the terminal that notes and progress go to; null where they go elsewhere. */
  readonly noteColumns: number | null;
  /** Whether the result is one JSON value, and errors are too. */
  readonly json: boolean;
  readonly #streams: Streams;
  readonly #signal: AbortSignal;
  #buffer = "";
  /** What was done, and how its result is had again; null before anything was. */
  #done: string | null = null;

  constructor(streams: Streams, { json, signal }: { readonly json: boolean; readonly signal: AbortSignal }) {
    this.#streams = streams;
    this.#signal = signal;
    this.json = json;
    this.columns = streams.output.isTerminal() ? terminalColumns() : null;
    this.noteColumns = streams.errors.isTerminal() ? terminalColumns() : null;
  }

  /** A line of text; what a terminal would break goes on indented, so that no name in it can pass for a line. */
  async line(text = "", style?: Style): Promise<void> {
    const cells = this.columns === null ? Infinity : Math.max(BLOCK_CELLS_MIN, this.columns - INDENT.length);
    const lines = wrapped(harmless(text), cells).map((piece) => this.#styled(piece.trimEnd(), style));
    await this.#put(`${lines.join(`\n${INDENT}`)}\n`);
  }

  /**
   * Stored text over several lines, each behind a bar, so that none can pass for a line of the command's own; nor can
   * one that a terminal would break.
   */
  async block(text: string): Promise<void> {
    const cells = this.columns === null ? Infinity : Math.max(BLOCK_CELLS_MIN, this.columns - BAR.length);
    for (const line of harmlessLines(text)) {
      for (const piece of wrapped(line, cells)) await this.#put(`${BAR}${piece}\n`);
    }
  }

  /** A table with a title. */
  async table(
    title: string,
    columns: readonly Column[],
    rows: readonly (readonly string[])[],
  ): Promise<void> {
    await this.line(title, "bold");
    for (const line of tableLines(columns, rows, this.columns)) await this.#put(`${line}\n`);
    await this.line();
  }

  /** A value as one line of JSON. */
  async value(value: unknown): Promise<void> {
    await this.#put(`${harmlessJson(value)}\n`);
  }

  /** JSON as it is; on a terminal, which it could drive, with escapes that mean the same. */
  async lines(json: string): Promise<void> {
    await this.#put(this.columns === null ? json : escapeJson(json));
  }

  /** The command line's own text, help above all. */
  own(text: string): void {
    this.#buffer += text;
  }

  /** Says what was done, and how its result is had again: told where the result cannot be printed. */
  done(told: string): void {
    this.#done = told;
  }

  /** Something beside the result: a line on standard error, which a pipe does not take. */
  async note(text: string): Promise<void> {
    await this.flush();
    await this.#noteIfPossible(harmless(text));
  }

  /** A value as one line of JSON on standard error. */
  async noteValue(value: unknown): Promise<void> {
    await this.#noteIfPossible(harmlessJson(value));
  }

  /** There is nowhere to say that errors cannot be written; the exit code tells. */
  async #noteIfPossible(line: string): Promise<void> {
    try {
      await writeAll(this.#streams.errors, `${line}\n`);
    } catch {
      // Nobody looks.
    }
  }

  /**
   * Writes what is held back.
   *
   * @throws {ReaderGone} if nobody reads, and nothing was done that they should know of
   * @throws {CommandError} if it cannot be written
   */
  async flush(): Promise<void> {
    const text = this.#buffer;
    this.#buffer = "";
    if (text === "") return;
    try {
      await writeAll(this.#streams.output, text);
    } catch (error) {
      throw this.#unprinted(error);
    }
  }

  #unprinted(error: unknown): unknown {
    const failure = error instanceof Deno.errors.BrokenPipe
      ? this.#done === null ? new ReaderGone() : new CommandError("IO", "Nobody took the output")
      : systemFailure(error, "Cannot write to standard output");
    if (this.#done === null || !(failure instanceof CommandError)) return failure;
    return new CommandError(failure.code, failure.message, { advice: this.#done, details: { done: true } });
  }

  /** Draws on the terminal that errors go to. One that has gone does not end the work. */
  draw(text: string): void {
    try {
      this.#streams.errors.writeSync(ENCODER.encode(text));
    } catch {
      // Nobody looks.
    }
  }

  /** What is long is written as it comes; an interrupt ends the wait for a reader that takes nothing. */
  async #put(text: string): Promise<void> {
    this.#buffer += text;
    if (this.#buffer.length < OUTPUT_BUFFER_CHARACTERS) return;
    await orAborted(this.flush(), this.#signal);
  }

  #styled(text: string, style: Style | undefined): string {
    if (style === undefined || text === "" || this.columns === null || Deno.noColor) return text;
    return `\x1b[${STYLES[style]}m${text}\x1b[0m`;
  }
}

/** A terminal that does not know its size says 0, or nothing. */
function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns || COLUMNS_DEFAULT;
  } catch {
    return COLUMNS_DEFAULT;
  }
}

async function writeAll(stream: Stream, text: string): Promise<void> {
  const bytes = ENCODER.encode(text);
  for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at));
}

function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
