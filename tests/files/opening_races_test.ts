import assert from "node:assert/strict";
import { observedDriver } from "./observed_driver.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, assertUsable, makeStore } from "./stored.ts";
import type { SqliteDriver } from "../../mod.ts";

const IS_UNIX = Deno.build.os !== "windows";

/** Something happens just before, or just after, SQLite opens a file. */
function racing(when: "before" | "after", path: string, happen: () => void): SqliteDriver {
  let happened = false;
  return observedDriver({
    [when](call: { readonly path: string; readonly sql: string | null }): void {
      if (happened || call.path !== path || call.sql !== null) return;
      happened = true;
      happen();
    },
  });
}

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

  Deno.test({
    name: `PRM-01 a creation refuses ${name} that is removed before SQLite opens it, which makes another`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const driver = racing("before", scratch.at(name), () => Deno.removeSync(scratch.at(name)));
      const umask = Deno.umask(0);
      try {
        await assertRefused(scratch.at("agent.db"), "UNSAFE", { driver });
      } finally {
        Deno.umask(umask);
      }
    },
  });
}
