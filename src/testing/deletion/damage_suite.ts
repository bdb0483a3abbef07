/** Every promise about damaged rows: who notices them, and what leaves them out. */

import type { Suite } from "../kit/suite.ts";
import { testDamagedRows } from "./damaged_rows.ts";
import { testSkippedRows } from "./skipped_rows.ts";

/** Registers the suite for one engine. */
export function testDamage(suite: Suite): void {
  testDamagedRows(suite);
  testSkippedRows(suite);
}
