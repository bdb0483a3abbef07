import assert from "node:assert/strict";
import { LateModule } from "../../src/contracts/late_module.ts";

Deno.test("LateModule loads once, however many wait, and has nothing to wait for afterwards", async () => {
  let loads = 0;
  const late = new LateModule(() => Promise.resolve({ loads: ++loads }));
  await Promise.all([late.load(), late.load()]);
  assert.equal(late.load(), undefined);
  assert.deepEqual(late.module, { loads: 1 });
});

Deno.test("LateModule reports a failed import where it is used, and tries again with the next call", async () => {
  const answers = [Promise.reject(new Error("out of reach")), Promise.resolve({ there: true })];
  const late = new LateModule(() => answers.shift()!);
  await late.load();
  assert.throws(() => late.module, { message: "out of reach" });
  await late.load();
  assert.deepEqual(late.module, { there: true });
});
