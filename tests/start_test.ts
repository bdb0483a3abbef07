/** What a program loads that opens a store and reads a record: every module counts at every start. */

import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/** Each costs about as much as 1 % of what a bare program with the driver takes to start. */
const MODULES_MAX = 80;

interface Dependency {
  readonly code?: { readonly specifier?: string };
  readonly isDynamic?: boolean;
}

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly Dependency[];
}

/** What is loaded before a program's first line: everything it imports, but not what it imports later. */
async function loadedAtStart(program: string): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `--config=${new URL("deno.json", ROOT).pathname}`, program],
  }).output();
  const { roots, modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly roots: readonly string[];
    readonly modules: readonly Module[];
  };
  const imports = new Map(modules.map(({ specifier, dependencies = [] }) => [specifier, dependencies]));
  const found = new Set(roots);
  for (const specifier of found) {
    for (const { code, isDynamic = false } of imports.get(specifier) ?? []) {
      if (!isDynamic && code?.specifier !== undefined) found.add(code.specifier);
    }
  }
  return [...found];
}

Deno.test("A program that opens a store and reads a record loads no package, no built-in module but the driver's, and few of ours", async () => {
  const loaded = await loadedAtStart(new URL("bench/programs/start_ours.ts", ROOT).pathname);
  const foreign = loaded.filter((specifier) => !specifier.startsWith(ROOT.href));
  assert.deepEqual(foreign, ["node:sqlite"]);
  assert.ok(loaded.length > 50, "the graph was read");
  assert.ok(loaded.length <= MODULES_MAX, `${loaded.length} modules, at most ${MODULES_MAX}`);
});
