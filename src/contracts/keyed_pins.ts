/** The pins of one scope, by key. */

import { compareCodePoints } from "../canonical/text.ts";
import { ContractError } from "../errors.ts";
import type { Pin, TimedPin } from "./pin.ts";
import { sameScope, type Scope } from "./scope.ts";

/** The pins of one scope, sorted by key in code point order. */
export interface KeyedPins<P extends Pin = TimedPin> {
  /** Whose pins they are. */
  readonly scope: Scope;
  /** Sorted by key, keys unique. */
  readonly pins: readonly P[];
}

/**
 * Sorts the pins of a scope by key.
 *
 * @throws {ContractError} naming the pin that is of another scope, or whose key occurred before
 */
export function keyedPins<P extends Pin>(scope: Scope, pins: readonly P[], field = "pins"): KeyedPins<P> {
  const keys = new Set<string>();
  for (const [index, pin] of pins.entries()) {
    if (!sameScope(pin.scope, scope)) throw fault(`${field}[${index}].scope`, "must be the scope of the set");
    if (keys.has(pin.key)) throw fault(`${field}[${index}].key`, "must be unique");
    keys.add(pin.key);
  }
  const sorted = [...pins].sort((left, right) => compareCodePoints(left.key, right.key));
  return Object.freeze({ scope, pins: Object.freeze(sorted) });
}

function fault(field: string, rule: string): ContractError {
  return new ContractError(field, `${field} ${rule}`);
}
