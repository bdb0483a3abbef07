/** The breaks that the reference page names. */

import type { Mutant } from "../mutant.ts";

const TARGETS = "tests/mutants/targets";

/** Expiry, comparison, tenant. */
export const NAMED_BREAKS: readonly Mutant[] = [
  {
    name: "the expiry condition is removed from get",
    file: "src/records/record_calls.ts",
    find: "if (isExpired(expires, this.#now(given.now))) return null;",
    replace: "",
    test: `${TARGETS}/expiry_test.ts`,
    promise: "REC-01: get() hides a record",
    why: "an expired record would still be read",
  },
  {
    name: "the revision comparison is bypassed in put",
    file: "src/records/put.ts",
    find: "if (old.revision !== expectedRevision) throw revisionConflict(expectedRevision, old.revision);",
    replace: "",
    test: `${TARGETS}/comparison_test.ts`,
    promise: "put() refuses a stale revision",
    why: "a stale write would overwrite a newer one",
  },
  {
    name: "the tenant condition is removed from purge",
    file: "src/records/read.ts",
    find: "`DELETE FROM records WHERE tenant = $1 AND expires <= $2`",
    replace: "`DELETE FROM records WHERE $1 = $1 AND expires <= $2`",
    test: `${TARGETS}/tenants_test.ts`,
    promise: "purge() never touches another tenant",
    why: "one tenant's purge would remove another's records",
  },
];
