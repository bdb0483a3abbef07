/** The process that makes one transaction, and kills itself in the middle of it. Arguments: path, name, a strike as JSON. */

import { nodeSqlite, openMemory } from "@holdfast/memory";
import { type Strike, Striker, strikingDriver } from "../crash/strike.ts";

const [path, name, strike] = Deno.args as [string, string, string];
const striker = new Striker(JSON.parse(strike) as Strike | null, null, null);
const memory = await openMemory(path, { driver: strikingDriver(striker, nodeSqlite) });
const scope = { tenantId: "acme", sessionId: name };
striker.arm();
await memory.transaction((transaction) => {
  const asked = transaction.append(scope, [{ role: "user", content: "Where is order 7?" }]);
  const pin = { scope, key: "language", value: "Answer in Welsh.", origin: "settings" };
  transaction.putPin(pin, { expectedRevision: asked });
  for (const key of ["first", "second"]) {
    const identity = { tenantId: "acme", kind: "checkpoint", key: `${name}-${key}` } as const;
    transaction.put(identity, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 3_600 });
  }
}, { operationId: name });
await memory.close();
