/**
 * Opens a store with facts 1 to 3, puts fact 4, and is killed when a later call would commit. Arguments: the path;
 * the call (`put` of a record that outgrows the cache, or `forget` of fact 1, or `open` alone); at whose COMMIT it is
 * killed (`main` or `ledger`); and the version that SQLite is taken to have, or nothing for its own.
 */
import { z } from "zod";
import { defineKind, openMemory } from "../../../mod.ts";
import { observedDriver } from "../observed_driver.ts";
import { plant, plot } from "../stored.ts";

const [path, call, whose, version] = Deno.args as [string, string, "main" | "ledger", string | undefined];
const PAGE = defineKind("page", z.string(), { maxBytes: 1_000_000 });

let armed = call === "open";
const driver = observedDriver({
  version,
  cachePages: 5,
  before({ path, sql }): void {
    const isLedger = path.endsWith(".deletions");
    if (armed && isLedger === (whose === "ledger") && (call === "open" ? sql !== null : sql === "COMMIT")) {
      Deno.kill(Deno.pid, "SIGKILL");
    }
  },
});

const memory = await openMemory(path, { driver, kinds: [PAGE] });
await plant(memory, 4);
armed = true;
if (call === "put") {
  const identity = { tenantId: "orchard", kind: "page", key: "large" };
  await memory.records.put(identity, "p".repeat(900_000), { expectedRevision: null, ttl: 86_400 });
} else {
  await memory.records.forget(plot(1), 1);
}
throw new Error("still alive");
