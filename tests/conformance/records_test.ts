import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { BUILT_IN_TARGETS } from "../kit/store_target.ts";
import { testRecordsOn } from "./records_suites.ts";

for (const target of BUILT_IN_TARGETS) testRecordsOn(target);

testThatNothingIsLeftOpen();
