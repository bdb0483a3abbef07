/** Breaks of what lists of sessions, subjects and erasures promise. */

import type { Mutant } from "../mutant.ts";

const SUITE = "tests/sessions/sessions_suite_test.ts";
const RESTORED = "tests/sessions/restored_test.ts";

/** See the module's documentation. */
export const SESSION_BREAKS: readonly Mutant[] = [
  {
    name: "a session that is written to stays where it is in the list",
    file: "src/tables/scopes.ts",
    find: "  if (newest?.id === row.id) return;",
    replace: "  if (newest !== null) return;",
    test: SUITE,
    promise: "OPS-01 sessions() lists a tenant's sessions, the last one written to first",
    why: "a user would not find the chat of a minute ago",
  },
  {
    name: "an append takes a session that is another person's",
    file: "src/conversations/append_turn.ts",
    find: "  if (isSameSubject(row.subject, hash)) return;",
    replace: "  if (hash.length > 0) return;",
    test: SUITE,
    promise: "A session keeps its subject: append refuses another one, and describe changes it",
    why: "what one person says would be erased with another",
  },
  {
    name: "a put takes a record that is another person's",
    file: "src/records/put.ts",
    find: "  if (subject === null || old === null || isSameSubject(old.subject, subject)) return;",
    replace: "  if (subject !== undefined) return;",
    test: SUITE,
    promise: "A record keeps its subject: put refuses another one, and changes nothing",
    why: "what one person says would be erased with another",
  },
  {
    name: "an erasure of a person leaves records",
    file: "src/deletion/erase_owned.ts",
    find: "DELETE FROM records WHERE subject = $1 AND born < $2",
    replace: "DELETE FROM records WHERE subject = $1 AND born < $2 AND kind = ''",
    test: SUITE,
    promise:
      "OPS-02 erase() of a person leaves other people's data in the tenant, and data without a subject",
    why: "an assistant would go on knowing what it had to forget",
  },
  {
    name: "an erasure leaves the contents of sessions",
    file: "src/sessions/session_calls.ts",
    find: "    await drainErased(engine, signal);",
    replace: "    signal?.throwIfAborted();",
    test: SUITE,
    promise: "OPS-02 erase() of a tenant leaves nothing of it in any table, and nothing of others is gone",
    why: "a scrub right after it would keep every word in the file",
  },
  {
    name: "a session after an erasure begins again with the first revision",
    file: "src/scopes/ensure_scope.ts",
    find: "floor === 0 ? 0 : floor + 1",
    replace: "floor * 0",
    test: SUITE,
    promise: "What is written after an erasure is not touched, and no revision of before is given again",
    why: "a caller with an old revision would change what it has never seen",
  },
  {
    name: "a session after an erasure answers with what an erased one did",
    file: "src/scopes/ensure_scope.ts",
    find: "    eraseLeftOperations(transaction, scopeHash),",
    replace: "    isReserved(transaction, scopeHash),",
    test: "tests/sessions/pending_test.ts",
    promise: "A session that is created again while the erased one is drained knows none of its operations",
    why: "an append would be acknowledged and stored nowhere",
  },
  {
    name: "a receipt of an erasure counts what became the person's later",
    file: "src/deletion/erase_owned.ts",
    find: "SELECT count(*) FROM scopes WHERE subject = $1 AND born < $2",
    replace: "SELECT count(*) FROM scopes WHERE subject = $1 AND $2 = $2",
    test: SUITE,
    promise:
      "The receipt of an erasure stays valid when the person comes back, and when others become that person",
    why: "a proof would be worth less with every day",
  },
  {
    name: "a restore applies no label",
    file: "src/apply_event.ts",
    find: "        ? applyScopeLabel(transaction, event, hashKey)",
    replace: "        ? applyDeletion(transaction, event, hashKey)",
    test: RESTORED,
    promise: "OPS-02 A restore erases by whose something was when it was erased, not when it was backed up",
    why: "a backup from before would keep what an erasure should have taken",
  },
  {
    name: "an import looks only at whose a line says it is",
    file: "src/lines/tombstone_pass.ts",
    find: '  const labels = own.filter(isNewer("subject"));',
    replace: "  const labels = own.slice(0, 0);",
    test: RESTORED,
    promise:
      "OPS-02 An import refuses what was erased since by whose it was then, and says whose the rest is now",
    why: "lines from before would bring back what was erased since",
  },
];
