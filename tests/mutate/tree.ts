/** A copy of a source tree, in which one break is made at a time and tests are run. */

import { applyBreak, type Break } from "./break.ts";

/** How a run of tests ended. */
export interface TestRun {
  readonly passed: boolean;
  /** Where it failed: what noticed, as far as its output says; `timeout` if it did not end. */
  readonly noticedBy: string;
}

/** How tests are run. */
export interface RunSettings {
  /** How long one run may take. */
  readonly limitMs: number;
  /** Tests that are left out. */
  readonly ignored: readonly string[];
  /** Ends what is running. */
  readonly signal?: AbortSignal;
}

/** One copy, removed at its end. */
export class Tree implements AsyncDisposable {
  /** Where it is, with a slash at its end. */
  readonly root: string;
  readonly #directory: string;
  readonly #settings: RunSettings;

  private constructor(directory: string, settings: RunSettings) {
    this.root = `${directory}/tree/`;
    this.#directory = directory;
    this.#settings = settings;
  }

  /** Copies what is under a root, but for what begins with a dot. */
  static async copy(from: string, settings: RunSettings): Promise<Tree> {
    const directory = await Deno.makeTempDir({ prefix: "holdfast-mutate-" });
    await Deno.chmod(directory, 0o755); // Some tests work as another user.
    const tree = new Tree(directory, settings);
    await copyFolder(from, tree.root);
    return tree;
  }

  /** Every file of TypeScript in a folder, from the root, in order. */
  filesIn(folder: string): readonly string[] {
    return [...Deno.readDirSync(this.root + folder)].flatMap(({ name, isDirectory }) =>
      isDirectory ? this.filesIn(`${folder}${name}/`) : name.endsWith(".ts") ? [folder + name] : []
    ).sort();
  }

  /** The text of a file. */
  read(file: string): string {
    return Deno.readTextFileSync(this.root + file);
  }

  /** Makes a break, and mends it when what is returned is disposed. */
  break(found: Break): Disposable {
    const source = this.read(found.file);
    Deno.writeTextFileSync(this.root + found.file, applyBreak(source, found));
    return { [Symbol.dispose]: () => Deno.writeTextFileSync(this.root + found.file, source) };
  }

  /** Runs tests, by paths below `tests/`, until one fails; kills them with all they started if they take too long. */
  async test(paths: readonly string[]): Promise<TestRun> {
    const { limitMs, ignored, signal } = this.#settings;
    signal?.throwIfAborted();
    const scratch = await Deno.makeTempDir({ dir: this.#directory }); // What a killed test leaves goes with it.
    await Deno.chmod(scratch, 0o755);
    const files = paths.flatMap((path) => this.#testsIn(`tests/${path}`))
      .filter((file) => !ignored.some((path) => file.startsWith(path)));
    if (files.length === 0) throw new Error(`No tests in ${paths.join(", ")}`);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-prompt", "--no-check", "--fail-fast", ...files],
      cwd: this.root,
      env: { NO_COLOR: "1", TMPDIR: scratch },
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const late = AbortSignal.timeout(limitMs);
    const end = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
    end.addEventListener("abort", () => killGroup(child.pid));
    const { success, stdout, stderr } = await child.output();
    killGroup(child.pid);
    await Deno.remove(scratch, { recursive: true }).catch(() => {});
    signal?.throwIfAborted();
    if (success) return { passed: true, noticedBy: "" };
    const decoder = new TextDecoder();
    const output = decoder.decode(stdout) + decoder.decode(stderr);
    return { passed: false, noticedBy: late.aborted ? "timeout" : firstFailure(output) };
  }

  #testsIn(path: string): readonly string[] {
    if (path.endsWith(".ts")) return [path];
    return this.filesIn(`${path}/`).filter((file) => file.endsWith("_test.ts"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#directory, { recursive: true });
  }
}

/** The name of the first test that failed, or the first error where none did. */
function firstFailure(output: string): string {
  const lines = output.split("\n");
  const failed = lines.find((line) => line.includes(" => ./")) ??
    lines.find((line) => line.startsWith("error"));
  return failed?.trim().slice(0, 200) ?? "crash";
}

function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch { /* All of it has ended. */ }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name.startsWith(".") || name === "node_modules") continue;
    if (isDirectory) await copyFolder(`${from}${name}/`, `${to}${name}/`);
    else await Deno.copyFile(from + name, to + name);
  }
}
