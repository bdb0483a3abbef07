/** Every promise about records that a kind of store on SQLite has to keep: those of each engine, and SQLite's own. */

import { conformance } from "../../src/testing/conformance.ts";
import type { StoreTarget } from "../kit/store_target.ts";
import { testGroupRefusals } from "./sqlite/group_refusals.ts";
import { testProcesses } from "./sqlite/processes.ts";
import { suiteFor } from "./sqlite/promise.ts";
import { testStoredForm } from "./sqlite/stored_form.ts";

/** Registers them. */
export function testRecordsOn(target: StoreTarget): void {
  conformance({ test: Deno.test, engine: target, suites: ["records"] });
  const suite = suiteFor(target);
  testGroupRefusals(suite);
  testProcesses(suite);
  testStoredForm(suite);
}
