import assert from "node:assert/strict";
import fc from "fast-check";
import { Calibrator } from "../../src/context/counting/estimate.ts";
import { readVectors } from "./golden.ts";

function estimated(tokens: number, factor: number, overhead = 0): number {
  return new Calibrator({ calibrationFactor: factor, adapterOverheadTokens: overhead }).estimated(tokens);
}

for (const { serialized, overhead, factor, estimated: expected } of readVectors().ceil) {
  Deno.test(`(${serialized} + ${overhead}) tokens × ${factor} are estimated at ${expected}`, () => {
    assert.equal(estimated(serialized, factor, overhead), expected);
  });
}

Deno.test("A factor has the value of its decimal text, not of the nearest double", () => {
  assert.equal(estimated(100, 1.1), 110);
  assert.equal(estimated(1_000_000, 1.07), 1_070_000);
  assert.equal(estimated(3, 1e21), 3e21);
  assert.equal(estimated(1, 1.0000000000000002), 2);
});

Deno.test("An estimate is rounded up to the next whole number", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 100, max: 300 }), (tokens, hundredths) => {
      assert.equal(
        estimated(tokens, hundredths / 100),
        Number((BigInt(tokens) * BigInt(hundredths) + 99n) / 100n),
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});
