/** Every promise about deleting: what goes with what, and what is left. */

import type { Suite } from "../kit/suite.ts";
import { testCascade } from "./deletion_cascade.ts";
import { testPrune } from "./deletion_prune.ts";
import { testUnpinning } from "./unpinning.ts";

/** Registers the suite for one engine. */
export function testDeletion(suite: Suite): void {
  testCascade(suite);
  testPrune(suite);
  testUnpinning(suite);
}
