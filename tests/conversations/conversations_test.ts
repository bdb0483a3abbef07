import { conformance } from "../../src/testing/conformance.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { SOME_TARGETS } from "../kit/store_target.ts";
import { testFiles } from "./files_suite.ts";
import { suiteFor } from "./promise.ts";

for (const target of SOME_TARGETS) {
  conformance({ test: Deno.test, engine: target, suites: ["conversations"] });
  testFiles(suiteFor(target));
}

testThatNothingIsLeftOpen();
