/** Runs the command line in processes of their own: at a pseudo-terminal, and piped. */

import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The command line's entry point. */
export const MAIN: string = `${ROOT}src/cli/main.ts`;

/** The longest that one of these processes may take: a hang fails instead of waiting for ever. */
const PROCESS_MS_MAX = 60_000;

/** Why no terminal is available here; null if one is. */
export const NO_TERMINAL: string | null = Deno.build.os !== "linux"
  ? "no Linux"
  : hasProgram("script")
  ? null
  : "no program `script`";

function hasProgram(name: string): boolean {
  try {
    return new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

/** The arguments that run the command line in a process. */
export function processWords(flags: readonly string[], words: readonly string[]): string[] {
  return ["run", "--no-check", "--no-lock", ...flags, MAIN, ...words];
}

/** A text quoted for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** How commands run at a terminal. */
export interface AtTerminal {
  readonly columns: number;
  readonly flags: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Presses the interrupt key once the terminal has shown this. */
  readonly interruptAfter?: RegExp;
}

/** The text that a terminal received, and the exit code of the last command. */
export interface Shown {
  readonly code: number;
  readonly text: string;
}

/** Runs commands one after another, until one fails. */
export async function atTerminal(
  commands: readonly (readonly string[])[],
  { columns, flags, cwd = ROOT, env = {}, interruptAfter }: AtTerminal,
): Promise<Shown> {
  const lines = commands.map((words) =>
    [Deno.execPath(), ...processWords(flags, words)].map(quoted).join(" ")
  );
  await using directory = await TemporaryDirectory.make();
  const process = new Deno.Command("script", {
    args: [
      "--quiet",
      "--return",
      "--flush",
      "--command",
      [`stty cols ${columns}`, ...lines].join(" && "),
      directory.file("log"),
    ],
    cwd,
    env: { NO_COLOR: "", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(PROCESS_MS_MAX),
  }).spawn();
  const keys = process.stdin.getWriter();
  let text = "";
  let isPressed = false;
  for await (const chunk of process.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (interruptAfter === undefined || isPressed || !interruptAfter.test(text)) continue;
    isPressed = true;
    await keys.write(new Uint8Array([3]));
  }
  await keys.close().catch(() => {});
  const { code } = await process.status;
  return { code, text: text.replaceAll("\r\n", "\n") };
}

/** Runs one command whose output is piped, with exactly these permissions. */
export async function piped(
  words: readonly string[],
  { flags, cwd = ROOT }: { readonly flags: readonly string[]; readonly cwd?: string },
): Promise<{ readonly code: number; readonly output: string; readonly errors: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: processWords(["--no-prompt", ...flags], words),
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(PROCESS_MS_MAX),
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout), errors: decoder.decode(stderr) };
}
