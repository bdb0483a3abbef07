/** Breaks of what searches promise, and of long turns. */

import type { Mutant } from "../mutant.ts";

/** Filters, tenants, and what is indexed or erased in parts. */
export const SEARCH_BREAKS: readonly Mutant[] = [
  {
    name: "a search counts the words of a turn that is being erased",
    file: "src/search/index_query.ts",
    find: "if (count !== undefined) left.set(term, count - documents);",
    replace: "",
    test: "tests/index/long_turns_test.ts",
    promise: "While a long turn is being erased, searches",
    why: "scores would depend on how far an erasure has come",
  },
  {
    name: "delete resolves before the words of a long turn are erased",
    file: "src/conversations/conversation.ts",
    find: 'if (deleted.when === "before" || deleted.isDraining) await this.#drain(signal);',
    replace: "",
    test: "tests/index/long_turns_test.ts",
    promise: "A long turn is found once it is indexed, and its deletion",
    why: "a receipt would be given while words are left",
  },
  {
    name: "a long turn is erased in one transaction",
    file: "src/deletion/erase_index.ts",
    find: "if (terms.length > TERMS_PER_STEP) {",
    replace: "if (terms.length > Infinity) {",
    test: "tests/index/long_turns_test.ts",
    promise: "A long turn is indexed and erased in transactions",
    why: "one message would hold the write lock for seconds",
  },
  {
    name: "a search does not compare roles",
    file: "src/search/search_filter.ts",
    find: "(roles === null || roles.has(role))",
    replace: "true",
    test: "tests/index/hits_test.ts",
    promise: "after, before and roles leave out hits",
    why: "a question about what the user said would be answered by the assistant",
  },
  {
    name: "a search of a tenant reads every tenant",
    file: "src/tables/tenant_sessions.ts",
    find: "WHERE scopes.tenant = $2 AND scopes.id > $3 ORDER BY",
    replace: "WHERE $2 = $2 AND scopes.id > $3 ORDER BY",
    test: "tests/index/tenant_search_test.ts",
    promise: "memory.search() returns the same hits for each topK, and takes no other tenant",
    why: "one tenant would read another's conversations",
  },
];
