import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);
const LINK = /\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g;

function documents(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) =>
    isDirectory ? documents(`${folder}${name}/`) : name.endsWith(".md") ? [`${folder}${name}`] : []
  );
}

/** A heading as it is linked to. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

Deno.test("Every link in the documentation leads somewhere", () => {
  const dead: string[] = [];
  for (const document of ["README.md", "CONTRIBUTING.md", ...documents("docs/")]) {
    for (const [, path, anchor] of Deno.readTextFileSync(new URL(document, ROOT)).matchAll(LINK)) {
      const target = path === "" ? new URL(document, ROOT) : new URL(path!, new URL(document, ROOT));
      try {
        if (anchor === undefined) Deno.statSync(target);
        else {
          const headings = Deno.readTextFileSync(target).matchAll(/^#+ (.*)$/gm);
          assert([...headings].some(([, heading]) => anchorOf(heading!) === anchor));
        }
      } catch {
        dead.push(`${document}: ${path}${anchor === undefined ? "" : `#${anchor}`}`);
      }
    }
  }
  assert.deepEqual(dead, []);
});
