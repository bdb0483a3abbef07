/**
 * The suites that every engine passes. Its author says how a store is opened, and how tests are registered.
 *
 * @module
 */

import { testBackups } from "./backups/backups_suite.ts";
import { testConversations } from "./conversations/conversations_suite.ts";
import { testDamage } from "./deletion/damage_suite.ts";
import { testReceipts } from "./deletion/deletion_receipts.ts";
import { testDeletion } from "./deletion/deletion_suite.ts";
import { type Suite, suiteFor } from "./kit/suite.ts";
import type { TestEngine, TestRunner } from "./kit/test_engine.ts";
import { testLines } from "./lines/lines_suite.ts";
import { testRecords } from "./records/records_suite.ts";
import { testSearches } from "./searches/searches_suite.ts";
import { testSessions } from "./sessions/sessions_suite.ts";

export type {
  RefusedChange,
  RestoredOptions,
  TestBackups,
  TestEngine,
  TestPlace,
  TestRunner,
} from "./kit/test_engine.ts";

/** The subject of a suite. */
export type SuiteName =
  | "records"
  | "conversations"
  | "deletion"
  | "receipts"
  | "damage"
  | "lines"
  | "backups"
  | "searches"
  | "sessions";

/** Each suite by its name. */
const SUITES = {
  records: testRecords,
  conversations: testConversations,
  deletion: testDeletion,
  receipts: testReceipts,
  damage: testDamage,
  lines: testLines,
  backups: testBackups,
  searches: testSearches,
  sessions: testSessions,
} satisfies Readonly<Record<SuiteName, (suite: Suite) => void>>;

/** The arguments of {@linkcode conformance}. */
export interface ConformanceOptions {
  /** How tests are registered: `Deno.test`, or `test` of another runner. */
  readonly test: TestRunner;
  /** The engine under test. */
  readonly engine: TestEngine;
  /** Which suites; all if omitted. */
  readonly suites?: readonly SuiteName[] | undefined;
}

const ALL = Object.keys(SUITES) as readonly SuiteName[];

/**
 * Registers the suites for one engine. A promise that needs more than the engine has is registered as ignored.
 *
 * @example A store in memory
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 * import { conformance } from "@holdfast/memory/testing";
 *
 * const titles: string[] = [];
 * conformance({
 *   test: (title) => titles.push(title), // in a test file: Deno.test
 *   engine: {
 *     name: "in memory",
 *     durable: false,
 *     make: () =>
 *       Promise.resolve({
 *         open: (options) => openMemory(":memory:", options),
 *         remove: () => Promise.resolve(),
 *       }),
 *   },
 * });
 * assert(titles.includes("Fifty parallel updates of one counter all count [in memory]"));
 * ```
 */
export function conformance({ test, engine, suites = ALL }: ConformanceOptions): void {
  for (const name of suites) SUITES[name](suiteFor(test, engine));
}
