/** A copy of the source tree in which breaks are made and tests are run, one at a time. */

import type { Mutant } from "./mutant.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const COPIED = [
  "mod.ts",
  "deno.json",
  "deno.lock",
  "src",
  "tests/kit",
  "tests/mutants/targets",
  "tests/deletion",
  "tests/engine",
  "tests/index",
  "tests/lines",
  "tests/conformance",
  "tests/contracts",
  "tests/vectors",
  "tests/cli",
  "tests/files",
  "tests/powerloss",
  "tests/restore",
  "tests/contention/old_library.ts",
  "tests/conversations",
  "tests/journals",
  "tests/transactions",
  "tests/sessions",
  "tests/context/golden.ts",
  "tests/context/messages_form_test.ts",
  "tests/kit/message_arbitrary.ts",
  "tests/model/records/seeded.ts",
];
const PATIENCE_MS = 60_000;

/** What a run of a test file gave. */
export interface TestRun {
  readonly passed: boolean;
  /** Whether an assertion failed, rather than that the break did not even run. */
  readonly byAssertion: boolean;
  readonly output: string;
}

/** What became of a break. */
export type Verdict =
  | { readonly kind: "caught" }
  | { readonly kind: "stale"; readonly found: number }
  | { readonly kind: "survived" | "crashed"; readonly output: string };

/** One copy. */
export class Laboratory implements Disposable {
  readonly #directory: string = Deno.makeTempDirSync({ prefix: "holdfast-mutants-" });

  constructor() {
    for (const name of COPIED) copy(`${ROOT}${name}`, `${this.#directory}/${name}`);
  }

  /** Breaks the copy, runs the test that must notice, and mends the copy again. */
  async try(mutant: Mutant): Promise<Verdict> {
    const path = `${this.#directory}/${mutant.file}`;
    const source = Deno.readTextFileSync(path);
    const found = source.split(mutant.find).length - 1;
    if (found !== 1) return { kind: "stale", found };
    Deno.writeTextFileSync(path, source.replace(mutant.find, () => mutant.replace));
    try {
      const { passed, byAssertion, output } = await this.test(mutant.test, [mutant.promise]);
      if (passed) return { kind: "survived", output };
      return byAssertion ? { kind: "caught" } : { kind: "crashed", output };
    } finally {
      Deno.writeTextFileSync(path, source);
    }
  }

  /** Runs those tests of a file in the copy whose names hold one of some texts. */
  async test(file: string, promises: readonly string[]): Promise<TestRun> {
    const command = new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-prompt", "--no-check", "--quiet", "--filter", filterOf(promises), file],
      cwd: this.#directory,
      env: { NO_COLOR: "1" },
      signal: AbortSignal.timeout(PATIENCE_MS),
      stdout: "piped",
      stderr: "piped",
    });
    const { success, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    const output = decoder.decode(stdout) + decoder.decode(stderr);
    return { passed: success, byAssertion: output.includes("AssertionError"), output };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#directory, { recursive: true });
  }
}

/** A pattern, as Deno takes it. */
function filterOf(promises: readonly string[]): string {
  return `/${promises.map((promise) => promise.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")}/`;
}

function copy(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) {
    Deno.mkdirSync(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    Deno.copyFileSync(from, to);
    return;
  }
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) copy(`${from}/${name}`, `${to}/${name}`);
}
