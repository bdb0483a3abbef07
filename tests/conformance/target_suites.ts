/** Every suite that a kind of store on SQLite has to pass: those of each engine, and those about SQLite itself. */

import { conformance } from "../../src/testing/conformance.ts";
import type { StoreTarget } from "../kit/store_target.ts";
import { testGroupRefusals } from "./sqlite/group_refusals.ts";
import { testProcesses } from "./sqlite/processes.ts";
import { suiteFor } from "./sqlite/promise.ts";
import { testStoredForm } from "./sqlite/stored_form.ts";

/** Registers them. */
export function testAll(target: StoreTarget): void {
  conformance({ test: Deno.test, engine: target });
  const suite = suiteFor(target);
  testGroupRefusals(suite);
  testProcesses(suite);
  testStoredForm(suite);
}
