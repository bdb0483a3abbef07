import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { BUILT_IN_TARGETS } from "../kit/store_target.ts";
import { testAll } from "./target_suites.ts";

for (const target of BUILT_IN_TARGETS) testAll(target);

testThatNothingIsLeftOpen();
