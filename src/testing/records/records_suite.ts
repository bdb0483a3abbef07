/** Every promise about records, as one suite that any kind of store has to pass. */

import type { Suite } from "../kit/suite.ts";
import { testCancellation } from "./record_cancellation.ts";
import { testClock } from "./record_clock.ts";
import { testClosing } from "./record_closing.ts";
import { testEvents } from "./record_events.ts";
import { testExpiry } from "./record_expiry.ts";
import { testForgetting } from "./record_forgetting.ts";
import { testGroups } from "./record_groups.ts";
import { testHostileInput } from "./record_hostile_input.ts";
import { testIdentity } from "./record_identity.ts";
import { testJson } from "./record_json_values.ts";
import { testOwnKinds } from "./record_kinds.ts";
import { testList } from "./record_list.ts";
import { testOperationIds } from "./record_operation_ids.ts";
import { testPayload } from "./record_payload.ts";
import { testPurge } from "./record_purge.ts";
import { testReopening } from "./record_reopening.ts";
import { testRevisions } from "./record_revisions.ts";
import { testStoredDamage } from "./record_stored_damage.ts";
import { testUpdate } from "./record_update.ts";
import { testValues } from "./record_values.ts";
import { testWorkedExample } from "./record_worked_example.ts";

/** Registers the suite for one engine. */
export function testRecords(suite: Suite): void {
  testWorkedExample(suite);
  testIdentity(suite);
  testPayload(suite);
  testJson(suite);
  testOwnKinds(suite);
  testRevisions(suite);
  testExpiry(suite);
  testPurge(suite);
  testUpdate(suite);
  testList(suite);
  testValues(suite);
  testForgetting(suite);
  testOperationIds(suite);
  testClock(suite);
  testEvents(suite);
  testCancellation(suite);
  testClosing(suite);
  testGroups(suite);
  testStoredDamage(suite);
  testHostileInput(suite);
  testReopening(suite);
}
