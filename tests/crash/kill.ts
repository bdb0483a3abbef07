/** Runs a child, and kills it. */

import type { Errand, Line } from "./errand.ts";

/** When a child is killed from outside; null leaves it to the child. */
export interface Moment<Told = Line> {
  /** Once it has reported so many lines. */
  readonly lines: number;
  /** Which of its lines count; all of them if omitted. */
  readonly counts?: (line: Told) => boolean;
  /** The delay after that, in milliseconds. */
  readonly delayMs: number;
}

/** How a child ended, and all that it reported. */
export interface Ending<Told = Line> {
  readonly lines: readonly Told[];
  readonly signal: Deno.Signal | null;
}

const CHILD = new URL("./child.ts", import.meta.url).pathname;

/** Runs a child that works on records. */
export function runChild(errand: Errand, moment: Moment | null): Promise<Ending> {
  return runProgram(CHILD, errand, moment);
}

/** Runs a child to its end, and reads everything that it reported, also just before it was killed. */
export async function runProgram<Told>(
  program: string,
  errand: unknown,
  moment: Moment<Told> | null,
): Promise<Ending<Told>> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", program, JSON.stringify(errand)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines: Told[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rest = "";
  let counted = 0;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    for (const part of parts) {
      const line = JSON.parse(part) as Told;
      lines.push(line);
      if (moment === null || moment.counts?.(line) === false) continue;
      if (++counted === moment.lines) timer = setTimeout(() => killIfAlive(child), moment.delayMs);
    }
  }
  const { signal } = await child.status;
  clearTimeout(timer);
  return { lines, signal };
}

function killIfAlive(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It ended by itself just before.
    if (!(error instanceof TypeError) && !(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Runs tasks on a few lanes at once, each lane in order; the first error ends them all, and is thrown once none runs. */
export async function inLanes<T>(
  tasks: readonly T[],
  lanes: number,
  run: (task: T, lane: number) => Promise<void>,
): Promise<void> {
  const left = [...tasks.entries()];
  let failed = false;
  const ends = await Promise.allSettled(Array.from({ length: lanes }, async (_, lane) => {
    for (let next = left.shift(); next !== undefined && !failed; next = left.shift()) {
      try {
        await run(next[1], lane);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
