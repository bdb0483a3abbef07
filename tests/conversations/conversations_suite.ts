/** Every promise about conversations, as one suite that any kind of store has to pass. */

import type { StoreTarget } from "../kit/store_target.ts";
import { testAgents } from "./agents.ts";
import { testAppending } from "./appending.ts";
import { testCapacity } from "./capacity.ts";
import { testClocks } from "./clocks.ts";
import { testDoors } from "./doors.ts";
import { testEnding } from "./ending.ts";
import { testOperationIds } from "./operation_ids.ts";
import { testOrderOfChecks } from "./order_of_checks.ts";
import { testPaging } from "./paging.ts";
import { testPins } from "./pins.ts";
import { suiteFor } from "./promise.ts";
import { testReferenceLines } from "./reference_lines.ts";
import { testReplays } from "./replays.ts";
import { testSharing } from "./sharing.ts";
import { testSnapshots } from "./snapshots.ts";
import { testSummaries } from "./summaries.ts";
import { testUpkeep } from "./upkeep.ts";

/** Registers the suite for one target. */
export function testConversations(target: StoreTarget): void {
  const suite = suiteFor(target);
  testAgents(suite);
  testAppending(suite);
  testCapacity(suite);
  testClocks(suite);
  testDoors(suite);
  testEnding(suite);
  testOperationIds(suite);
  testOrderOfChecks(suite);
  testPaging(suite);
  testPins(suite);
  testReferenceLines(suite);
  testReplays(suite);
  testSharing(suite);
  testSnapshots(suite);
  testSummaries(suite);
  testUpkeep(suite);
}
