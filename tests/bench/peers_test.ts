/** Tests that docs/PEERS.md has exactly the answers that `deno task bench:peers` checks. */

import assert from "node:assert/strict";
import { KEEPERS, rowOf } from "../../bench/peers/keeping.ts";
import { KEEPINGS } from "../../bench/peers/keepings.ts";

Deno.test("docs/PEERS.md has exactly the answers that are checked", () => {
  const document = Deno.readTextFileSync(new URL("../../docs/PEERS.md", import.meta.url));
  const lines = document.split("\n").map((line) => line.replace(/ +/g, " ").trim());
  const head = lines.indexOf(`| what each keeps | ${KEEPERS.join(" | ")} |`);
  assert(head > 0);
  const end = lines.indexOf("", head);
  assert.deepEqual(lines.slice(head + 2, end), KEEPINGS.map(rowOf));
});

Deno.test("Every published answer has a check, unless the question does not arise", () => {
  for (const { published, checks } of KEEPINGS) {
    for (const keeper of KEEPERS) assert.equal(published[keeper] !== null, checks[keeper] !== undefined);
  }
});
