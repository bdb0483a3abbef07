/** Breaks of what a record is promised: its deadline, its revision, its tenant. */

import type { Mutant } from "../mutant.ts";

const TARGETS = "tests/mutants/targets";

/** Deadlines, on each path by which a record is reached. */
export const EXPIRY_BREAKS: readonly Mutant[] = [
  {
    name: "the expiry condition is removed from list",
    file: "src/records/read.ts",
    find: "(kind, key) > ($2, $3) AND (expires IS NULL OR expires > $4)",
    replace: "(kind, key) > ($2, $3) AND $4 = $4",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "REC-01: list() hides a record",
    why: "an expired record would still be listed",
  },
  {
    name: "the expiry condition is removed from list of one kind",
    file: "src/records/read.ts",
    find: "key > $3 AND (expires IS NULL OR expires > $4)",
    replace: "key > $3 AND $4 = $4",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "REC-01: list() of one kind",
    why: "an expired record would still be listed by its kind",
  },
  {
    name: "a record is seen at its deadline",
    file: "src/tables/records.ts",
    find: "return expires !== null && expires <= nowSeconds;",
    replace: "return expires !== null && expires < nowSeconds;",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "REC-01: get() hides a record",
    why: "the read paths would disagree by a second",
  },
  {
    name: "an expired row is replaced by put",
    file: "src/records/put.ts",
    find: "if (isExpired(old.expires, now)) {",
    replace: "if (now < 0) {",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "put() refuses an expired row",
    why: "a record that callers saw vanish would live on under its old creation time",
  },
  {
    name: "update tells an expired record as a conflict of its put",
    file: "src/records/record_calls.ts",
    find: 'if (error.reason === "EXPIRED") throw missing();',
    replace: "",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "update() tells a record that expired",
    why: "callers of update are promised MISSING",
  },
  {
    name: "maxAge is raised by a later put",
    file: "src/records/put.ts",
    find: "const maxAge = lower(old?.maxAge ?? null, plan.maxAge);",
    replace: "const maxAge = plan.maxAge ?? old?.maxAge ?? null;",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "maxAge can only be lowered",
    why: "an absolute deadline could be moved",
  },
  {
    name: "put resets the creation time",
    file: "src/records/put.ts",
    find: "const created = old?.created ?? now;",
    replace: "const created = now;",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "REC-19: maxAge counts from the first put",
    why: "sliding writes would pass the absolute deadline",
  },
];

/** Revisions, attempts and repeated operations. */
export const COMPARISON_BREAKS: readonly Mutant[] = [
  {
    name: "the revision comparison is bypassed in forget",
    file: "src/records/forget.ts",
    find: "if (revision !== plan.expectedRevision) return false;",
    replace: "",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "REC-06: forget() with a stale revision",
    why: "a stale forget would remove a newer value",
  },
  {
    name: "a refused member keeps the revision it drew",
    file: "src/engine/group_transaction.ts",
    find: "this.#counter = mark.counter;",
    replace: "",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "A refused put gives its revision back",
    why: "a failure must leave the counter as it was",
  },
  {
    name: "update tries once more than it is told",
    file: "src/records/record_calls.ts",
    find: 'if (error.reason !== "REVISION" || attempt >= attempts) throw error;',
    replace: 'if (error.reason !== "REVISION" || attempt > attempts) throw error;',
    test: `${TARGETS}/comparison_test.ts`,
    promise: "update() gives up after its attempts",
    why: "a bound that is not kept is no bound",
  },
  {
    name: "update does not try again",
    file: "src/records/record_calls.ts",
    find: 'if (error.reason !== "REVISION" || attempt >= attempts) throw error;',
    replace: "throw error;",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "update() recomputes after a conflict",
    why: "concurrent increments would fail",
  },
  {
    name: "the input of a repeated operation is not compared",
    file: "src/tables/operation_ids.ts",
    find: "if (!equalBytes(inputHash, key.inputHash)) {",
    replace: "if (inputHash.length === 0) {",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "RPC-01: an operation id with other input",
    why: "another call would be answered with the first one's result",
  },
  {
    name: "a repeated put is carried out again",
    file: "src/records/put.ts",
    find: "if (recalled !== null) return recalled;",
    replace: "",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "An operation id gives the first answer again",
    why: "a retry after a lost answer would conflict with itself",
  },
  {
    name: "an operation id is remembered for ever",
    file: "src/tables/operation_ids.ts",
    find: "if (keptMs < Infinity && at + keptMs <= transaction.time().effectiveMs) return null;",
    replace: "",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "An operation id is forgotten after a day",
    why: "ids are promised to be free again after a day",
  },
];

/** Tenants, and the pages of a list. */
export const TENANT_BREAKS: readonly Mutant[] = [
  {
    name: "the tenant condition is removed from list",
    file: "src/records/read.ts",
    find: "WHERE tenant = $1 AND (kind, key) > ($2, $3)",
    replace: "WHERE $1 = $1 AND (kind, key) > ($2, $3)",
    test: `${TARGETS}/tenants_test.ts`,
    promise: "list() shows one tenant's records only",
    why: "one tenant would see another's keys",
  },
  {
    name: "the tenant condition is removed from get",
    file: "src/tables/records.ts",
    find: "value_checksum FROM records\n  WHERE tenant = $1 AND kind = $2 AND key = $3`",
    replace: "value_checksum FROM records\n  WHERE $1 = $1 AND kind = $2 AND key = $3`",
    test: `${TARGETS}/tenants_test.ts`,
    promise: "get() reads one tenant's record only",
    why: "one tenant would read another's record",
  },
  {
    name: "a list's cursor is lost",
    file: "src/records/record_calls.ts",
    find: "limit: limit + 1,",
    replace: "limit,",
    test: `${TARGETS}/tenants_test.ts`,
    promise: "REC-17: the pages of a list",
    why: "a page that is full would be taken for the last",
  },
  {
    name: "a list begins at its cursor instead of behind it",
    file: "src/records/read.ts",
    find: "(kind, key) > ($2, $3)",
    replace: "(kind, key) >= ($2, $3)",
    test: `${TARGETS}/tenants_test.ts`,
    promise: "REC-17: the pages of a list",
    why: "a row would be seen on two pages",
  },
];
