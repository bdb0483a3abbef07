/** What docs/PEERS.md says of others is what `deno task bench:peers` tries, and fails if it is not so. */

import assert from "node:assert/strict";
import { KEEPERS, rowOf } from "../../bench/peers/keeping.ts";
import { KEEPINGS } from "../../bench/peers/keepings.ts";

Deno.test("docs/PEERS.md says of others what is tried, and nothing else", () => {
  const document = Deno.readTextFileSync(new URL("../../docs/PEERS.md", import.meta.url));
  const lines = document.split("\n").map((line) => line.replace(/ +/g, " ").trim());
  const head = lines.indexOf(`| what each keeps | ${KEEPERS.join(" | ")} |`);
  assert(head > 0);
  const end = lines.indexOf("", head);
  assert.deepEqual(lines.slice(head + 2, end), KEEPINGS.map(rowOf));
});

Deno.test("Whatever is said of anybody is tried, unless the question does not arise", () => {
  for (const { said, tries } of KEEPINGS) {
    for (const keeper of KEEPERS) assert.equal(said[keeper] !== null, tries[keeper] !== undefined);
  }
});
