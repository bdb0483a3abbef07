/** Programs of these tests, run as processes of their own. */

import assert from "node:assert/strict";

const ROOT = `${import.meta.dirname}/../../`;

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}

/** How a program is run. */
export interface Running {
  /** Deno's flags; all permissions if omitted. Deno never prompts. */
  readonly flags?: readonly string[];
  /** The working directory. */
  readonly cwd?: string;
}

/** The longest that any program of these tests may take: a hang then fails instead of waiting forever. */
const PROGRAM_MS_MAX = 30_000;

/** The command that runs a program from the folder `programs`, or any other by its path from the root. */
export function command(program: string, args: readonly string[], options: Running = {}): Deno.Command {
  const { flags = ["-A"], cwd = ROOT } = options;
  const path = program.includes("/") ? `${ROOT}${program}` : `${ROOT}tests/files/programs/${program}`;
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--no-check",
      `--config=${ROOT}deno.json`,
      ...flags,
      path,
      ...args,
    ],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(PROGRAM_MS_MAX),
  });
}

/** Runs a program until it ends or is killed. */
export async function run(program: string, args: readonly string[], options: Running = {}): Promise<Ended> {
  const { code, signal, stdout, stderr } = await command(program, args, options).output();
  const decoder = new TextDecoder();
  return { code, signal, output: decoder.decode(stdout), errors: decoder.decode(stderr) };
}

/** Runs a program that has to succeed and print JSON. */
export async function runForJson(
  program: string,
  args: readonly string[],
  options: Running = {},
): Promise<unknown> {
  const { code, output, errors } = await run(program, args, options);
  assert.equal(code, 0, errors);
  return JSON.parse(output);
}
