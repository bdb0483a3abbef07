import type { Operation, WriteTransaction } from "../engine/operation.ts";

const remembered = new WeakMap<WriteTransaction, Map<string, Map<string, unknown>>>();

/**
 * Returns the rows of one place (a scope, a tenant) that events may name, by the hex digits of their hashes. They are
 * loaded once for each transaction that applies events: it only erases, and a restore may apply thousands of events, each
 * of which would otherwise hash every key of its place again. Code that erases a row removes it from the map.
 */
export function* targetsOf<Target>(
  transaction: WriteTransaction,
  place: string,
  load: () => Operation<Map<string, Target>>,
): Operation<Map<string, Target>> {
  let places = remembered.get(transaction);
  if (places === undefined) remembered.set(transaction, places = new Map());
  const known = places.get(place);
  if (known !== undefined) return known as Map<string, Target>;
  const loaded = yield* load();
  places.set(place, loaded);
  return loaded;
}

/** Forgets them all, after rows were erased that the maps may hold. */
export function forgetTargets(transaction: WriteTransaction): void {
  remembered.delete(transaction);
}
