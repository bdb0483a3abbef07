/**
 * The suites that every engine passes, for whoever writes one: hand over how a store is opened, and how tests are
 * registered.
 *
 * @module
 */

import { testRecords } from "./records/records_suite.ts";
import { suiteFor } from "./kit/suite.ts";
import type { TestEngine, TestRunner } from "./kit/test_engine.ts";

export type { RefusedChange, TestEngine, TestPlace, TestRunner } from "./kit/test_engine.ts";

/** What {@linkcode conformance} takes. */
export interface ConformanceOptions {
  /** How tests are registered: `Deno.test`, or `test` of another runner. */
  readonly test: TestRunner;
  /** The engine under test. */
  readonly engine: TestEngine;
}

/**
 * Registers the suites for one engine. What it cannot do is registered as ignored, under the name of the promise.
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
export function conformance({ test, engine }: ConformanceOptions): void {
  testRecords(suiteFor(test, engine));
}
