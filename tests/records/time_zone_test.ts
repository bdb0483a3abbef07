import assert from "node:assert/strict";

const PROGRAM = `
  import { openMemory } from ${JSON.stringify(import.meta.resolve("../../mod.ts"))};
  const memory = await openMemory(":memory:", { clock: () => 1_750_000_000_000 });
  const identity = { tenantId: "orchard", kind: "checkpoint", key: "run-a" };
  const value = { schema: 1, step: 0, items: [] };
  const revisions = [await memory.records.put(identity, value, { expectedRevision: null, ttl: 60 })];
  for (let write = 1; write < 5; write++) {
    revisions.push(await memory.records.put(identity, value, { expectedRevision: revisions.at(-1), ttl: 60 }));
  }
  console.log(JSON.stringify([revisions, await memory.records.get(identity)]));
  await memory.close();
`;

const EXPECTED = [[1, 2, 3, 4, 5], {
  revision: 5,
  expires: 1_750_000_060,
  value: { items: [], schema: 1, step: 0 },
}];

for (const zone of ["America/Los_Angeles", "Asia/Kolkata"]) {
  Deno.test(`REC-09 five writes in one tick give the same in ${zone} as anywhere`, async () => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", PROGRAM],
      env: { TZ: zone },
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), EXPECTED);
  });
}
