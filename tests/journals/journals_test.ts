import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { BUILT_IN_TARGETS } from "../kit/store_target.ts";
import { testJournals } from "./journals_suite.ts";

for (const target of BUILT_IN_TARGETS.filter(({ name }) => name === "file" || name === ":memory:")) {
  testJournals(target);
}

testThatNothingIsLeftOpen();
