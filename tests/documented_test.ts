/** Every exported function, class and method has an example that asserts something; a step of the gate runs them all. */

import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/** What is used of the output of `deno doc --json`. */
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

/** Whether an export is a type alone: the text of its documentation is enough. */
function isType({ declarations }: Symbol): boolean {
  return declarations.every(({ kind }) => kind === "interface" || kind === "typeAlias");
}

/** An overloaded function has several declarations; one example will do for all. */
function hasExample(declarations: readonly Documented[]): boolean {
  const tags = declarations.flatMap(({ jsDoc }) => jsDoc?.tags ?? []);
  return tags.some(({ kind, doc }) => kind === "example" && /```ts\n[\s\S]*\bassert[.(]/.test(doc ?? ""));
}

/** A class's methods by name; `[Symbol.asyncDispose]` stands for `close`. An interface is shown as a whole. */
function methodsOf({ name, declarations }: Symbol): ReadonlyMap<string, readonly Method[]> {
  const methods = declarations.flatMap(({ kind, def }) => kind === "class" ? def?.methods ?? [] : [])
    .filter((method) => method.kind === "method" && !method.name.startsWith("["));
  return Map.groupBy(methods, (method) => `${name}.${method.name}`);
}

Deno.test("Every exported function, class and method has an example that asserts something", async () => {
  const symbols = (await Promise.all(["mod.ts", "src/cli/main.ts"].map(readDocumentation))).flat();
  const values = symbols.filter((symbol) => !isType(symbol));
  const documented = new Map<string, readonly Documented[]>(values.flatMap((symbol) => [
    [symbol.name, symbol.declarations],
    ...methodsOf(symbol),
  ]));
  assert(documented.has("openMemory") && documented.has("Records.put") && !documented.has("Receipt"));
  const without = [...documented].filter(([, declarations]) => !hasExample(declarations));
  assert.deepEqual(without.map(([name]) => name), []);
});
