/** Breaks of what kinds of one's own are promised: versions, misfits, lifetimes, lists with values. */

import type { Mutant } from "../mutant.ts";

const SUITE = "tests/conformance/records_test.ts";

/** See the module's documentation. */
export const KIND_BREAKS: readonly Mutant[] = [
  {
    name: "an older program overwrites a newer version",
    file: "src/records/put.ts",
    find: "if (old.version > version) throw",
    replace: "if (old.version > version + 1_000) throw",
    test: SUITE,
    promise: "A value of a newer version is a KindError",
    why: "what a newer program wrote would be lost",
  },
  {
    name: "a put stores the first version",
    file: "src/records/record_calls.ts",
    find: "version: kind.version,",
    replace: "version: 1,",
    test: SUITE,
    promise: "A value of an older version is migrated when read",
    why: "a value would be migrated twice",
  },
  {
    name: "a migration may return anything",
    file: "src/records/stored_value.ts",
    find: "return { value: copyPlain(migrated), obstacle: null };",
    replace: "return { value: migrated as Json, obstacle: null };",
    test: SUITE,
    promise: "A value that does not fit a kind whose migration returns no JSON",
    why: "callers would get what no put accepts",
  },
  {
    name: "a put replaces a record that is only hidden",
    file: "src/records/put.ts",
    find: "plan.now ?? purgeNow(transaction.time())",
    replace: "plan.now ?? Math.floor(transaction.time().effectiveMs / 1000)",
    test: SUITE,
    promise: "A record that is hidden only because the clock was ahead",
    why: "a clock that was ahead once would cost data",
  },
  {
    name: "an update without a lifetime removes the deadline",
    file: "src/records/record_calls.ts",
    find: 'const lasting = lifetimeOptions(requireLifetime(kind, given, "kept"));',
    replace: "const lasting = lifetimeOptions(requireLifetime(kind, given, null));",
    test: SUITE,
    promise: "An update without a lifetime keeps the deadline",
    why: "a record would become permanent by the way",
  },
  {
    name: "a prefix takes the first key after it",
    file: "src/records/list_values.ts",
    find: "key >= $4 AND key < $5",
    replace: "key >= $4 AND key <= $5",
    test: SUITE,
    promise: "A list with a prefix has the keys that begin with it",
    why: "a list of one folder would show a file next to it",
  },
  {
    name: "the newest of a kind are listed oldest first",
    file: "src/records/list_values.ts",
    find: "ORDER BY revision DESC LIMIT $7",
    replace: "ORDER BY revision LIMIT $7",
    test: SUITE,
    promise: "A list of the newest has the record written last first",
    why: "pages would begin at the wrong end",
  },
  {
    name: "several keys are read past their deadlines",
    file: "src/records/kind_records.ts",
    find: "value === null || isExpired(value.expires, now) ? null : value",
    replace: "value",
    test: SUITE,
    promise: "Records.of().getMany() has an item for each key",
    why: "an expired record would be read",
  },
];
