import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { BUILT_IN_TARGETS } from "../kit/store_target.ts";
import { testRecords } from "./records_suite.ts";

for (const target of BUILT_IN_TARGETS) testRecords(target);

testThatNothingIsLeftOpen();
