/** Standard output and error of the commands. All text is made harmless here; only JSON passes unchanged. */

import { OUTPUT_BUFFER_CHARACTERS } from "../../limits.ts";
import { wrapped } from "./display_width.ts";
import { CommandError } from "./failure.ts";
import { escapeJson, harmless, harmlessJson, harmlessLines } from "./harmless_text.ts";
import { systemFailure } from "./system_failure.ts";
import { type Column, tableLines } from "./table.ts";

/** The reader of the output closed the pipe: the command ends without an error. */
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

/** The stream of results, and the stream of errors, notes and progress. */
export interface Streams {
  readonly output: Stream;
  readonly errors: Stream;
}

/** Standard output and error of one command. */
export class Screen {
  /** Columns of the terminal that the output goes to; null if it does not go to a terminal. */
  readonly columns: number | null;
  /** Columns of the terminal that notes and progress go to; null if they do not go to a terminal. */
  readonly noteColumns: number | null;
  /** Whether the result, and every error, is printed as one JSON value. */
  readonly json: boolean;
  readonly #streams: Streams;
  readonly #signal: AbortSignal;
  #buffer = "";
  /** What was completed, and how to get its result again; null before that. */
  #completed: string | null = null;

  constructor(streams: Streams, { json, signal }: { readonly json: boolean; readonly signal: AbortSignal }) {
    this.#streams = streams;
    this.#signal = signal;
    this.json = json;
    this.columns = streams.output.isTerminal() ? terminalColumns() : null;
    this.noteColumns = streams.errors.isTerminal() ? terminalColumns() : null;
  }

  /** Prints a line of text. A wrapped line continues indented, so that no stored name can look like a line of its own. */
  async line(text = "", style?: Style): Promise<void> {
    const cells = this.columns === null ? Infinity : Math.max(BLOCK_CELLS_MIN, this.columns - INDENT.length);
    const lines = wrapped(harmless(text), cells).map((part) => this.#styled(part.trimEnd(), style));
    await this.#put(`${lines.join(`\n${INDENT}`)}\n`);
  }

  /**
   * Prints stored text with every line, wrapped ones too, behind a bar. So no line of it can look like output of the
   * command itself.
   */
  async block(text: string): Promise<void> {
    const cells = this.columns === null ? Infinity : Math.max(BLOCK_CELLS_MIN, this.columns - BAR.length);
    for (const line of harmlessLines(text)) {
      for (const part of wrapped(line, cells)) await this.#put(`${BAR}${part}\n`);
    }
  }

  /** Prints a table with a title. */
  async table(
    title: string,
    columns: readonly Column[],
    rows: readonly (readonly string[])[],
  ): Promise<void> {
    await this.line(title, "bold");
    for (const line of tableLines(columns, rows, this.columns)) await this.#put(`${line}\n`);
    await this.line();
  }

  /** Prints a value as one line of JSON. */
  async value(value: unknown): Promise<void> {
    await this.#put(`${harmlessJson(value)}\n`);
  }

  /** Prints JSON unchanged; on a terminal, which it could drive, with equivalent escapes. */
  async lines(json: string): Promise<void> {
    await this.#put(this.columns === null ? json : escapeJson(json));
  }

  /** Prints the command line's own text, such as help. */
  own(text: string): void {
    this.#buffer += text;
  }

  /** Notes what was completed and how to get its result again. It is reported if the result cannot be printed. */
  completed(text: string): void {
    this.#completed = text;
  }

  /** Prints a line on standard error, next to the result on standard output. */
  async note(text: string): Promise<void> {
    await this.flush();
    await this.#noteIfPossible(harmless(text));
  }

  /** Prints a value as one line of JSON on standard error. */
  async noteValue(value: unknown): Promise<void> {
    await this.#noteIfPossible(harmlessJson(value));
  }

  /** If standard error cannot be written to, only the exit code is left to report the failure. */
  async #noteIfPossible(line: string): Promise<void> {
    try {
      await writeAll(this.#streams.errors, `${line}\n`);
    } catch {
      // See above.
    }
  }

  /**
   * Writes the buffered output.
   *
   * @throws {ReaderGone} if the reader closed the pipe and no completed work is left to report
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
      ? this.#completed === null ? new ReaderGone() : new CommandError("IO", "The output pipe was closed")
      : systemFailure(error, "Cannot write to standard output");
    if (this.#completed === null || !(failure instanceof CommandError)) return failure;
    return new CommandError(failure.code, failure.message, {
      advice: this.#completed,
      details: { done: true },
    });
  }

  /** Draws on the terminal of standard error. A terminal that was closed does not end the work. */
  draw(text: string): void {
    try {
      this.#streams.errors.writeSync(ENCODER.encode(text));
    } catch {
      // The terminal was closed.
    }
  }

  /** Writes once the buffer is full; an interrupt ends the wait for a reader that does not read. */
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

/** The terminal's columns; a terminal that does not know its size reports 0 or throws. */
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
