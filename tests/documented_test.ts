/** Every exported function, class and value has an example that asserts something; the gate runs each of them. */

import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/** The parts of `deno doc --json` that this test reads. */
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly Symbol[] }>>;
}

interface Symbol {
  readonly name: string;
  readonly declarations: readonly (Documented & {
    readonly kind: string;
    readonly def?: { readonly methods?: readonly Method[] };
  })[];
}

interface Method extends Documented {
  readonly name: string;
  readonly kind: string;
}

interface Documented {
  readonly jsDoc?: { readonly tags?: readonly { readonly kind: string; readonly doc?: string }[] };
}

async function readDocumentation(entry: string): Promise<readonly Symbol[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", entry],
    cwd: ROOT,
    stderr: "null",
  }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as Documentation;
  return Object.values(nodes).flatMap(({ symbols }) => symbols);
}

/** An overloaded function has several declarations; one example is enough for all of them. */
function hasExample(declarations: readonly Documented[]): boolean {
  const tags = declarations.flatMap(({ jsDoc }) => jsDoc?.tags ?? []);
  return tags.some(({ kind, doc }) => kind === "example" && /```ts\n[\s\S]*\bassert[.(]/.test(doc ?? ""));
}

const ENTRIES = [
  "mod.ts",
  "src/cli/main.ts",
  "src/formats/message_formats.ts",
  "src/testing/conformance.ts",
] as const;

/** Types need no example: their fields are documented one by one. */
const TYPES: ReadonlySet<string> = new Set(["interface", "typeAlias"]);

/** A class's methods by name, without `[Symbol.asyncDispose]`, which is the same as `close`. */
function methodsOf({ name, declarations }: Symbol): ReadonlyMap<string, readonly Method[]> {
  const methods = declarations.flatMap(({ kind, def }) => kind === "class" ? def?.methods ?? [] : [])
    .filter((method) => method.kind === "method" && !method.name.startsWith("["));
  return Map.groupBy(methods, (method) => `${name}.${method.name}`);
}

Deno.test("Every exported function, class and value, and every method of a class, has an example that asserts something", async () => {
  const symbols = (await Promise.all(ENTRIES.map(readDocumentation))).flat()
    .filter(({ declarations }) => declarations.some(({ kind }) => !TYPES.has(kind)));
  const documented = new Map<string, readonly Documented[]>(symbols.flatMap((symbol) => [
    [symbol.name, symbol.declarations],
    ...methodsOf(symbol),
  ]));
  for (const name of ["openMemory", "Records.put", "MemoryError", "nodeSqlite", "conformance"]) {
    assert(documented.has(name), name);
  }
  assert(!documented.has("Receipt"));
  const without = [...documented].filter(([, declarations]) => !hasExample(declarations));
  assert.deepEqual(without.map(([name]) => name), []);
});
