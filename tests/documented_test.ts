/** Every export has an example that asserts something; that each of them runs is a step of the gate. */

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

Deno.test("Every export, and every method of one, has an example that asserts something", async () => {
  const symbols =
    (await Promise.all(["mod.ts", "src/cli/main.ts", "src/formats/message_formats.ts"].map(readDocumentation)))
      .flat();
  const documented = new Map<string, readonly Documented[]>(symbols.flatMap((symbol) => [
    [symbol.name, symbol.declarations],
    ...methodsOf(symbol),
  ]));
  assert(documented.has("openMemory") && documented.has("Records.put") && documented.has("Receipt"));
  const without = [...documented].filter(([, declarations]) => !hasExample(declarations));
  assert.deepEqual(without.map(([name]) => name), []);
});
