/** Every promise about export and import. */

import type { Suite } from "../kit/suite.ts";
import { linesSuiteOf } from "./line_stores.ts";
import { testDeadlines } from "./lines_deadlines.ts";
import { testKinds } from "./lines_kinds.ts";
import { testMerging } from "./lines_merging.ts";
import { testRoundTrip } from "./lines_round_trip.ts";
import { testTombstones } from "./lines_tombstones.ts";

/** Registers the suite for one engine. */
export function testLines(suite: Suite): void {
  const lines = linesSuiteOf(suite);
  testRoundTrip(lines);
  testMerging(lines);
  testDeadlines(lines);
  testTombstones(lines);
  testKinds(lines);
}
