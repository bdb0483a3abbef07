/** Breaks of the write groups: members, refused commits, locks. */

import type { Mutant } from "../mutant.ts";

const TARGETS = "tests/mutants/targets";

/** One group, several members. */
export const GROUP_BREAKS: readonly Mutant[] = [
  {
    name: "a failing member is not rolled back to its savepoint",
    file: "src/engines/sqlite/database/connection.ts",
    find: "this.run(ROLLBACK_TO_MEMBER);",
    replace: "",
    test: `${TARGETS}/groups_test.ts`,
    promise: "A member that fails after its first write",
    why: "half of a refused write would be committed with its neighbours",
  },
  {
    name: "after an automatic rollback members that had run are acknowledged",
    file: "src/engines/sqlite/write/write_group.ts",
    find: 'if (member !== failing) member.outcome = { kind: "alone" };',
    replace: 'if (member !== failing && member.outcome === null) member.outcome = { kind: "alone" };',
    test: `${TARGETS}/groups_test.ts`,
    promise: "A group that SQLite rolled back as a whole",
    why: "an acknowledged write would be missing",
  },
  {
    name: "a failing member's deletion is recorded",
    file: "src/engine/group_transaction.ts",
    find: "this.#events.length = mark.events;",
    replace: "",
    test: `${TARGETS}/groups_test.ts`,
    promise: "A deletion whose member fails is not recorded",
    why: "the ledger would record a deletion that was refused",
  },
  {
    name: "main is not probed after a refused COMMIT",
    file: "src/engines/sqlite/write/write_group.ts",
    find: "const verdict = probeMain(main, meta, before);",
    replace: 'const verdict = before < 0 ? probeMain(main, meta, before) : "gone";',
    test: `${TARGETS}/groups_test.ts`,
    promise: "A COMMIT that took effect",
    why: "a stored write would be reported as failed",
  },
  {
    name: "the ledger is not probed after a refused COMMIT",
    file: "src/engines/sqlite/write/write_group.ts",
    find: "const verdict = probeLedger(ledger, before, events.at(-1)!.head);",
    replace: 'const verdict = events.length < 0 ? probeLedger(ledger, before, "") : "gone";',
    test: `${TARGETS}/groups_test.ts`,
    promise: "A ledger's COMMIT that took effect",
    why: "a recorded deletion would be reported as failed",
  },
  {
    name: "writes go on after an unknown outcome",
    file: "src/engines/sqlite/write/write_group.ts",
    find: "if (this.#refusal !== null) return this.#fail(members, this.#refusal);",
    replace: "",
    test: `${TARGETS}/groups_test.ts`,
    promise: "After a COMMIT whose outcome stays unknown",
    why: "the refused COMMIT could still take effect under them",
  },
  {
    name: "a held lock is reported as a broken file",
    file: "src/engines/sqlite/drivers/result_codes.ts",
    find: '[RESULT.BUSY, ["BUSY", "another connection holds the lock"]],',
    replace: '[RESULT.BUSY, ["IO", "another connection holds the lock"]],',
    test: `${TARGETS}/groups_test.ts`,
    promise: "A lock that another connection holds is BUSY",
    why: "callers could not know whether a retry can help",
  },
  {
    name: "extended result codes are not understood",
    file: "src/engines/sqlite/drivers/result_codes.ts",
    find: "const primary = error.resultCode & 0xff;",
    replace: "const primary = error.resultCode;",
    test: `${TARGETS}/groups_test.ts`,
    promise: "DRV-03: an extended code of BUSY",
    why: "SQLITE_BUSY_SNAPSHOT is a held lock too",
  },
  {
    name: "a withdrawn write is carried out",
    file: "src/engine/write_queue.ts",
    find: "this.#waiting.splice(index, 1);",
    replace: "",
    test: `${TARGETS}/groups_test.ts`,
    promise: "A put that is withdrawn",
    why: "a cancelled call must leave nothing",
  },
  {
    name: "a closed store can be used",
    file: "src/engines/sqlite/sqlite_engine.ts",
    find: "if (this.#closing !== null) throw",
    replace: "if (this.#closing === undefined) throw",
    test: `${TARGETS}/groups_test.ts`,
    promise: "Everything after close() is CLOSED",
    why: "use after close is a mistake with a code of its own",
  },
];
