/** Every promise about conversations, as one suite that any kind of store has to pass. */

import type { Suite } from "../kit/suite.ts";
import { testAgents } from "./conversation_agents.ts";
import { testAppending } from "./conversation_appending.ts";
import { testCapacity } from "./conversation_capacity.ts";
import { testClocks } from "./conversation_clocks.ts";
import { testDoors } from "./conversation_doors.ts";
import { testEnding } from "./conversation_ending.ts";
import { testMedia } from "./conversation_media.ts";
import { testOperationIds } from "./conversation_operation_ids.ts";
import { testOrderOfChecks } from "./conversation_order_of_checks.ts";
import { testPaging } from "./conversation_paging.ts";
import { testPins } from "./conversation_pins.ts";
import { testReferenceLines } from "./conversation_reference_lines.ts";
import { testReplays } from "./conversation_replays.ts";
import { testSharing } from "./conversation_sharing.ts";
import { testSnapshots } from "./conversation_snapshots.ts";
import { testSummaries } from "./conversation_summaries.ts";
import { testUpkeep } from "./conversation_upkeep.ts";

/** Registers the suite for one engine. */
export function testConversations(suite: Suite): void {
  testAgents(suite);
  testAppending(suite);
  testCapacity(suite);
  testClocks(suite);
  testDoors(suite);
  testEnding(suite);
  testMedia(suite);
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
