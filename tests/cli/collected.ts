/** Runs the command line in this process, and collects what it prints. */

import assert from "node:assert/strict";
import { runCommandLine } from "../../src/cli/command_line.ts";

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** A stream that keeps everything written to it. */
export class Collected {
  #bytes: number[] = [];

  write(bytes: Uint8Array): Promise<number> {
    return Promise.resolve(this.writeSync(bytes));
  }

  writeSync(bytes: Uint8Array): number {
    for (const byte of bytes) this.#bytes.push(byte);
    return bytes.length;
  }

  isTerminal(): boolean {
    return false;
  }

  get text(): string {
    return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(this.#bytes));
  }
}

/** Runs a command whose output is piped. */
export async function holdfast(...words: readonly string[]): Promise<Ended> {
  const [output, errors] = [new Collected(), new Collected()];
  const code = await runCommandLine(words, { output, errors });
  return { code, output: output.text, errors: errors.text };
}

/** Runs a command that must succeed without a note or error; resolves to its output. */
export async function printed(...words: readonly string[]): Promise<string> {
  const { code, output, errors } = await holdfast(...words);
  assert.deepEqual({ code, errors }, { code: 0, errors: "" });
  return output;
}

/** Runs a command that must succeed, with `--json`; resolves to the value, which must be one line. */
// deno-lint-ignore no-explicit-any
export async function value(...words: readonly string[]): Promise<any> {
  const output = await printed(...words, "--json");
  assert.equal(output.indexOf("\n"), output.length - 1);
  return JSON.parse(output);
}

/** Asserts that a command fails with one line on standard error and no output. */
export async function assertRefused(
  words: readonly string[],
  { code, says }: { readonly code: 1 | 2; readonly says: RegExp },
): Promise<void> {
  const ended = await holdfast(...words);
  assertOneLine(ended.errors);
  assert.match(ended.errors, says);
  assert.deepEqual({ code: ended.code, output: ended.output }, { code, output: "" });
  const asJson = await holdfast("--json", ...words);
  const { error } = JSON.parse(asJson.errors);
  assert.deepEqual({ code: asJson.code, exitCode: error.exitCode, output: asJson.output }, {
    code,
    exitCode: code,
    output: "",
  });
  assert(ended.errors.startsWith(`holdfast: ${error.code}`));
}

/** Asserts one line with at least one sentence, and no stack. */
export function assertOneLine(errors: string): void {
  assert.match(errors, /^holdfast: [A-Z_ ]+: [^\n]+\n$/);
  assert.doesNotMatch(errors, /\bat (async )?(file|\S+ \()|\.ts:\d/);
}
