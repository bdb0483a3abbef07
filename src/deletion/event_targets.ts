import type { Operation, WriteTransaction } from "../engine/operation.ts";

const remembered = new WeakMap<WriteTransaction, Map<string, Map<string, unknown>>>();

/**
 * The rows that events of one place (a scope, a tenant) may mean, by the hex digits of their hashes. Loaded once for each
 * transaction that applies events: such a one only erases, and a restore may apply thousands, each of which would
 * otherwise hash every key of its place again. Whoever erases a row takes it out.
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
