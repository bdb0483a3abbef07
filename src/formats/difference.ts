/** How a JSON value differs from another, as a list of changes that is JSON itself. */

import type { Json } from "../canonical/plain.ts";

/** A path and the value that stands there; a path alone where nothing does. */
export type Difference = readonly (readonly [path: readonly (string | number)[], value?: Json])[];

type JsonObject = Readonly<Record<string, Json>>;

/** Whether a value is a JSON object: no list, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Uint8Array) && !(value instanceof URL);
}

/** What turns `from` into `to`; empty where they are equal. */
export function differenceOf(
  from: unknown,
  to: unknown,
  path: readonly (string | number)[] = [],
): Difference {
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    return from.flatMap((item, index) => differenceOf(item, to[index], [...path, index]));
  }
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => {
      if (!Object.hasOwn(to, name)) return [[[...path, name]] as const];
      if (!Object.hasOwn(from, name)) return [[[...path, name], to[name]!] as const];
      return differenceOf(from[name], to[name], [...path, name]);
    });
  }
  return isSame(from, to) ? [] : [[path, to as Json]];
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) return one.length === 0 && other.length === 0;
  if (one instanceof URL && other instanceof URL) return one.href === other.href;
  return one instanceof Uint8Array && other instanceof Uint8Array && one.length === other.length &&
    one.every((byte, index) => byte === other[index]);
}

/** A copy of `value` with the changes made. A change whose place is not there any more is left out. */
export function withDifference(value: unknown, difference: Difference): unknown {
  return difference.reduce<unknown>((changed, [path, ...to]) => changedAt(changed, path, to), value);
}

function changedAt(value: unknown, path: readonly (string | number)[], to: readonly unknown[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to[0];
  if (Array.isArray(value)) {
    if (typeof step !== "number" || step >= value.length) return value;
    return value.with(step, changedAt(value[step], rest, to));
  }
  if (!isObject(value) || typeof step !== "string") return value;
  if (rest.length > 0 && !Object.hasOwn(value, step)) return value;
  const others = Object.entries(value).filter(([name]) => name !== step);
  if (rest.length === 0 && to.length === 0) return Object.fromEntries(others);
  return Object.fromEntries([...others, [step, changedAt(value[step], rest, to)]]);
}

/** Whether a value is a difference. */
export function isDifference(value: unknown): value is Difference {
  return Array.isArray(value) &&
    value.every((change) =>
      Array.isArray(change) && (change.length === 1 || change.length === 2) && Array.isArray(change[0])
    );
}
