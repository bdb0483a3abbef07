/** Breaks of effective time, and of what is known of the store between two moments. */

import type { Mutant } from "../mutant.ts";

const TARGETS = "tests/mutants/targets";

/** The highest time seen. */
export const TIME_BREAKS: readonly Mutant[] = [
  {
    name: "the clock mark is not written",
    file: "src/engine/sqlite/group_transaction.ts",
    find: "markMs: Math.max(markMs, effectiveMs)",
    replace: "markMs",
    test: `${TARGETS}/time_test.ts`,
    promise: "The highest time is written",
    why: "after a restart with an earlier clock what expired would come back",
  },
  {
    name: "the highest time is not remembered",
    file: "src/engine/effective_time.ts",
    find: "if (clockMs > this.#highestMs) this.#highestMs = clockMs;",
    replace: "this.#highestMs = clockMs;",
    test: `${TARGETS}/time_test.ts`,
    promise: "Within one open store nothing expired",
    why: "when the clock steps back what expired would come back",
  },
  {
    name: "deadlines are set from a clock that is behind",
    file: "src/records/put.ts",
    find: "if (behindMs > CLOCK_BEHIND_MS_MAX && ",
    replace: "if (behindMs < 0 && ",
    test: `${TARGETS}/time_test.ts`,
    promise: "A deadline is not set from a clock",
    why: "a wrong clock must be told, not built upon",
  },
  {
    name: "what the clock took back is erased",
    file: "src/records/read.ts",
    find: "return Math.floor((effectiveMs - behindMs) / 1000);",
    replace: "return Math.floor((effectiveMs + 0 * behindMs) / 1000);",
    test: `${TARGETS}/time_test.ts`,
    promise: "What the clock took back",
    why: "a clock that jumped ahead by mistake must not destroy data after it was set right",
  },
  {
    name: "acceptClock does not lower the mark",
    file: "src/engine/sqlite/group_transaction.ts",
    find: "this.#clockLowered = true;",
    replace: "",
    test: `${TARGETS}/time_test.ts`,
    promise: "acceptClock lowers the mark",
    why: "the way out of CLOCK would lead nowhere",
  },
  {
    name: "a prune commits for every tenant",
    file: "src/records/read.ts",
    find: "if ((yield* transaction.get(SELECT_DUE_RECORD, tenant, now)) !== undefined) due.push(tenant);",
    replace: "due.push(tenant);",
    test: "tests/deletion/prune_test.ts",
    promise: "prune() writes nothing for tenants that have nothing due",
    why: "ten thousand tenants would cost as many commits, and each would wait for other writers",
  },
  {
    name: "main's meta row is remembered whatever others commit",
    file: "src/engine/sqlite/reading.ts",
    find: "this.#remembered?.dataVersion !== dataVersion ||",
    replace: "this.#remembered === null ||",
    test: `${TARGETS}/time_test.ts`,
    promise: "A store that has read learns at its next read",
    why: "a store with a slow clock would show what a fast one saw expire",
  },
  {
    name: "a search asks only once whether its scope changed",
    file: "src/conversations/assemble_view.ts",
    find: "if (transaction.state !== this.#state)",
    replace: "if (this.#state === null)",
    test: "tests/index/changed_between_test.ts",
    promise: "between two moments of search()",
    why: "what another process deletes meanwhile would look like damage",
  },
  {
    name: "numbers of rows are bound as they stand",
    file: "src/engine/sqlite/driver.ts",
    find: '"LIMIT $1 + 0"',
    replace: '"LIMIT $1"',
    test: "tests/engine/compiled_once_test.ts",
    promise: "Statements are compiled once a connection",
    why: "most of the time of a search would go into compiling its statements again",
  },
];
