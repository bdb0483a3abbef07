import assert from "node:assert/strict";
import { racing } from "../files/racing_driver.ts";
import { Scratch } from "../files/scratch.ts";
import { DATABASES } from "../files/store_names.ts";
import { assertRefused } from "../files/stored.ts";

for (const name of DATABASES) {
  Deno.test({
    name: `PRM-01 a creation refuses ${name} that is removed before SQLite opens it, which makes another`,
    ignore: Deno.build.os === "windows",
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const driver = racing("before", scratch.at(name), () => Deno.removeSync(scratch.at(name)));
      const umask = Deno.umask(0);
      try {
        await assertRefused(scratch.at("agent.db"), "UNSAFE", { driver });
      } finally {
        Deno.umask(umask);
      }
      assert.equal(Deno.umask(), umask);
    },
  });
}
