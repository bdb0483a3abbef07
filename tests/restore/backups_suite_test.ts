/** The suite about backups and restores, in both journal modes. */

import { conformance } from "../../src/testing/conformance.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { BUILT_IN_TARGETS } from "../kit/store_target.ts";

for (const engine of BUILT_IN_TARGETS) conformance({ test: Deno.test, engine, suites: ["backups"] });

testThatNothingIsLeftOpen();
