import { conformance } from "../../src/testing/conformance.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { BUILT_IN_TARGETS } from "../kit/store_target.ts";
import { testFiles } from "./files_suite.ts";
import { suiteFor } from "./promise.ts";

for (const target of BUILT_IN_TARGETS.filter(({ name }) => name === "file" || name === ":memory:")) {
  conformance({ test: Deno.test, engine: target, suites: ["conversations"] });
  testFiles(suiteFor(target));
}

testThatNothingIsLeftOpen();
