/** Runs other programs, and stops them when the run ends. */

const running = new Set<Deno.ChildProcess>();
let stopping = false;

/** The result of a program. */
export interface Ended {
  readonly success: boolean;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it exits. */
export async function runCommand(command: string, args: readonly string[]): Promise<Ended> {
  if (stopping) await never();
  const child = new Deno.Command(command, { args: [...args], stdout: "piped", stderr: "piped" }).spawn();
  running.add(child);
  const { success, code, stdout, stderr } = await child.output();
  running.delete(child);
  if (stopping) await never();
  const decoder = new TextDecoder();
  return { success, code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a program of the `programs` folder with the project's configuration; returns what it printed. */
export async function runProgram(name: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await runCommand(Deno.execPath(), [
    ...["run", "-A", "--no-check", "--config", CONFIG_PATH],
    programPath(name),
    ...args,
  ]);
  if (!success) throw new Error(`${name} failed: ${stderr.trim()}`);
  return stdout;
}

/** The path of the project's configuration. */
export const CONFIG_PATH = `${import.meta.dirname!}/../deno.json`;

/** Returns the path of a program in the `programs` folder. */
export function programPath(name: string): string {
  return `${import.meta.dirname!}/programs/${name}`;
}

/** Stops the running programs and waits until they exit. Pending calls never return, because the run is ending. */
export async function stopChildren(): Promise<void> {
  stopping = true;
  const ends = [...running].map((child) => {
    child.kill("SIGTERM");
    return child.status;
  });
  await Promise.all(ends);
}

function never(): Promise<never> {
  return new Promise(() => {});
}
