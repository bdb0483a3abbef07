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

/** Registers the suites for one engine. */
export function conformance({ test, engine }: ConformanceOptions): void {
  testRecords(suiteFor(test, engine));
}
