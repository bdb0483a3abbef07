import assert from "node:assert/strict";
import { racing } from "../files/racing_driver.ts";
import { modesIn, Scratch } from "../files/scratch.ts";
import { DATABASES } from "../files/store_names.ts";
import { plant } from "../files/stored.ts";
import { openMemory } from "../../mod.ts";

for (const name of DATABASES) {
  Deno.test({
    name:
      `PRM-01 a creation whose ${name} is removed before SQLite opens it, which makes a public one, begins again`,
    ignore: Deno.build.os === "windows",
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const driver = racing("before", scratch.at(name), () => Deno.removeSync(scratch.at(name)));
      const umask = Deno.umask(0);
      try {
        await using memory = await openMemory(scratch.at("agent.db"), { driver });
        await plant(memory, 1);
        assert.deepEqual(new Set(Object.values(modesIn(scratch.path))), new Set(["0600"]));
      } finally {
        Deno.umask(umask);
      }
      assert.equal(Deno.umask(), umask);
    },
  });
}
