import assert from "node:assert/strict";
import { z } from "zod";
import { defineKind, openMemory } from "../../mod.ts";
import { run } from "./child.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { isPlanted, makeStore } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";
const PAGE = defineKind("page", z.string(), { maxBytes: 1_000_000 });

/** Runs a program that is killed in the middle of a transaction. */
async function die(path: string, call: string, whose: string, version?: string): Promise<void> {
  const { signal, errors } = await run("die_at_commit.ts", [
    path,
    call,
    whose,
    ...version === undefined ? [] : [version],
  ]);
  assert.equal(signal, "SIGKILL", errors);
}

const MODES = [["with a log", undefined], ["with rollback journals", "3.49.0"]] as const;

for (const [how, version] of MODES) {
  Deno.test({
    name: `DRV-21 a put killed before its COMMIT, ${how}, leaves exactly what was acknowledged`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const path = scratch.at("agent.db");
      await makeStore(path);
      await die(path, "put", "main", version);
      const spilt = scratch.at(version === undefined ? "agent.db-wal" : "agent.db-journal");
      assert(Deno.statSync(spilt).size > 0);
      assert.deepEqual(await isPlanted(path, [1, 2, 3, 4]), [true, true, true, true]);
      await using memory = await openMemory(path, { kinds: [PAGE] });
      assert.equal(await memory.records.get({ tenantId: "orchard", kind: "page", key: "large" }), null);
    },
  });

  Deno.test({
    name: `DRV-21 a forget killed before the ledger's COMMIT, ${how}, never happened`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const path = scratch.at("agent.db");
      await makeStore(path);
      await die(path, "forget", "ledger", version);
      assert.deepEqual(await isPlanted(path, [1, 2, 3, 4]), [true, true, true, true]);
    },
  });

  Deno.test({
    name:
      `DRV-21 a forget killed between the COMMITs of ledger and main, ${how}, is completed by the next opening`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const path = scratch.at("agent.db");
      await makeStore(path);
      await die(path, "forget", "main", version);
      assert.deepEqual(await isPlanted(path, [1, 2, 3, 4]), [false, true, true, true]);
    },
  });

  Deno.test({
    name: `DRV-21 a process killed while it recovers what another left, ${how}, loses nothing`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const path = scratch.at("agent.db");
      await makeStore(path);
      await die(path, "put", "main", version);
      await die(path, "open", "ledger", version);
      await die(path, "open", "main", version);
      assert.deepEqual(await isPlanted(path, [1, 2, 3, 4]), [true, true, true, true]);
      assert.deepEqual(scratch.names(), [...DATABASES]);
    },
  });
}
