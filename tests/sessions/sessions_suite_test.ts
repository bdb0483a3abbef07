/** The suite about sessions. */

import { conformance } from "../../src/testing/conformance.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { SOME_TARGETS } from "../kit/store_target.ts";

for (const engine of SOME_TARGETS) conformance({ test: Deno.test, engine, suites: ["sessions"] });

testThatNothingIsLeftOpen();
