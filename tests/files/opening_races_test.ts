import assert from "node:assert/strict";
import { racing } from "./racing_driver.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, assertUsable, makeStore } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";

function replaceByCopy(path: string): void {
  Deno.renameSync(path, `${path}.away`);
  Deno.copyFileSync(`${path}.away`, path);
  Deno.chmodSync(path, 0o600);
}

for (const name of DATABASES) {
  for (const when of ["before", "after"] as const) {
    Deno.test({
      name: `opening refuses a store whose ${name} is replaced by a copy just ${when} SQLite opens it`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        await makeStore(scratch.at("agent.db"));
        const driver = racing(when, scratch.at(name), () => replaceByCopy(scratch.at(name)));
        await assertRefused(scratch.at("agent.db"), "REPLACED", { driver });
        await assertUsable(scratch.at("agent.db"));
      },
    });
  }

  Deno.test({
    name:
      `opening a store whose ${name} is moved away just before SQLite opens it leaves no file in its place`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await makeStore(scratch.at("agent.db"));
      const driver = racing(
        "before",
        scratch.at(name),
        () => Deno.renameSync(scratch.at(name), scratch.at("away")),
      );
      await assertRefused(scratch.at("agent.db"), ["RESTORE", "INTEGRITY"], { driver });
      assert.deepEqual(
        scratch.names(),
        ["agent.db", "agent.db.deletions", "away"].filter((each) => each !== name),
      );
    },
  });

  Deno.test({
    name:
      `PRM-04 opening refuses ${name} that becomes a link just before SQLite opens it, and spares its target`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      using outside = new Scratch();
      await makeStore(scratch.at("agent.db"));
      await makeStore(outside.at("agent.db"));
      const before = outside.digests();
      const driver = racing("before", scratch.at(name), () => {
        Deno.renameSync(scratch.at(name), scratch.at("away"));
        Deno.symlinkSync(outside.at(name), scratch.at(name));
      });
      await assertRefused(scratch.at("agent.db"), ["IO", "UNSAFE"], { driver });
      assert.deepEqual(outside.digests(), before);
    },
  });

  Deno.test({
    name: `PRM-01 opening refuses ${name} that is made readable by others just after SQLite opened it`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await makeStore(scratch.at("agent.db"));
      const driver = racing("after", scratch.at(name), () => Deno.chmodSync(scratch.at(name), 0o644));
      await assertRefused(scratch.at("agent.db"), "UNSAFE", { driver });
    },
  });
}
