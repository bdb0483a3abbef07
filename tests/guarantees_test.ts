import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/** A test file, a suite or a folder in a table, with the words of a title if there are any. */
const PROOF = /`((?:tests|src\/testing)\/[^`]+)`(?:: "([^"]+)")?/g;

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

function sourceOf(path: string): string {
  if (!path.endsWith("/")) return read(path);
  return [...Deno.readDirSync(new URL(path, ROOT))].filter(({ isFile }) => isFile)
    .map(({ name }) => read(path + name)).join("\n");
}

for (const document of ["docs/GUARANTEES.md", "README.md"]) {
  Deno.test(`Every test that ${document} names as a proof is there`, () => {
    const missing: string[] = [];
    const proofs = [...read(document).matchAll(PROOF)];
    assert(proofs.length >= 5);
    for (const [, path, title] of proofs) {
      const found = sourceOf(path!);
      if (!found.includes("Deno.test(") && !found.includes("promise(")) missing.push(path!);
      else if (title !== undefined && !found.includes(title)) missing.push(`${path}: ${title}`);
    }
    assert.deepEqual(missing, []);
  });
}
