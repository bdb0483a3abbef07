import assert from "node:assert/strict";
import { assembleContext } from "../../src/context/assemble_context.ts";
import type { BudgetError } from "../../src/errors.ts";
import { camelCased, inputOf, readVectors } from "./golden.ts";

type Fields = Record<string, unknown>;

const ERROR_CODES: Readonly<Record<string, string>> = {
  required_context_too_large: "REQUIRED_CONTEXT_TOO_LARGE",
  layer_allocation_exceeds_budget: "LAYER_ALLOCATION",
  cap_budget_too_small: "CAP_BUDGET",
};

/** Returns the reference's diagnostics with our names, without the version of the reference. */
function expectedDiagnostics(golden: Fields): Fields {
  const { layerDiagnostics, packageVersion: _, ...rest } = camelCased(golden) as Fields & {
    layerDiagnostics: Fields[];
  };
  const layers = layerDiagnostics.map(({ reasonCode, ...layer }) => ({ ...layer, reason: reasonCode }));
  return { ...rest, layers, omittedTurnCount: (rest.omittedTurnIds as unknown[]).length };
}

for (const { job, result } of readVectors().assemble) {
  Deno.test(`assembleContext() under the reference profile reproduces the golden job "${job.name}"`, async () => {
    const assembled = assembleContext(inputOf(job));
    if (result.diagnostics === undefined) {
      const error = await assembled.then(
        () => assert.fail("it was assembled"),
        (error: BudgetError) => error,
      );
      const details = camelCased(result.details) as object;
      assert.equal(error.code, ERROR_CODES[result.code as string]);
      assert.deepEqual({ ...error.details, ...details }, error.details); // ours have more fields
      return;
    }
    const context = await assembled;
    const { packageVersion: _, ...diagnostics } = context.diagnostics;
    const { contentIncluded, request } = context.export({ includeContent: true });
    assert.deepEqual([contentIncluded, request], [result.content_included, result.request]);
    assert.deepEqual(context.request, result.request);
    assert.deepEqual(diagnostics, expectedDiagnostics(result.diagnostics as Fields));
  });
}
