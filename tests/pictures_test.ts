/** The pictures of the documentation are the ones that their programs draw. */

import assert from "node:assert/strict";
import { PICTURES } from "../docs/pictures/draw.ts";

const FOLDER = new URL("../docs/pictures/", import.meta.url);

Deno.test("Every picture that is kept is the one that `deno task draw` draws", () => {
  const kept = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => name.endsWith(".svg"));
  assert.deepEqual(kept.toSorted(), [...PICTURES.keys()].toSorted());
  for (const [name, svg] of PICTURES) assert.equal(Deno.readTextFileSync(new URL(name, FOLDER)), svg, name);
});

for (const [name, svg] of PICTURES) {
  Deno.test(`${name} says what it shows to those who do not see it`, () => {
    assert.match(svg, /role="img" aria-labelledby="title description"/);
    assert.match(svg, /<title id="title">[^<]+<\/title>/);
    assert.match(svg, /<desc id="description">[^<]{200,}<\/desc>/);
  });

  Deno.test(`${name} has colours for light and for dark, and fetches nothing`, () => {
    assert.match(svg, /@media \(prefers-color-scheme: dark\)/);
    assert.deepEqual([...svg.matchAll(/\b(?:href|url|@import|font-face)\b/g)], []);
    assert.deepEqual([...svg.matchAll(/https?:[^"]*/g)].map(([address]) => address), [
      "http://www.w3.org/2000/svg",
    ]);
  });
}
