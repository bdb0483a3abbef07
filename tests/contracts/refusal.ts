/** How contracts refuse, as tests ask for it. */

import assert from "node:assert/strict";
import { ContractError } from "../../src/errors.ts";

/** Requires a `ContractError` for exactly this field, whose message says nothing of what was handed in. */
export function refuses(field: string, call: () => unknown, secret = "secret"): void {
  assert.throws(call, (error) => {
    assert(error instanceof ContractError, `not a ContractError: ${error}`);
    assert.equal(error.field, field);
    assert(error.message.startsWith(`${field} `), error.message);
    assert(
      !JSON.stringify([error.message, error.details, String(error.cause)]).includes(secret),
      error.message,
    );
    return true;
  });
}
