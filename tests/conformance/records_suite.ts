/** Every promise about records, as one suite that any kind of store has to pass. */

import type { StoreTarget } from "../kit/store_target.ts";
import { testCancellation } from "./records/cancellation.ts";
import { testClock } from "./records/clock.ts";
import { testClosing } from "./records/closing.ts";
import { testEvents } from "./records/events.ts";
import { testExpiry } from "./records/expiry.ts";
import { testForgetting } from "./records/forgetting.ts";
import { testGroups } from "./records/groups.ts";
import { testHostileInput } from "./records/hostile_input.ts";
import { testIdentity } from "./records/identity.ts";
import { testJson } from "./records/json_values.ts";
import { testList } from "./records/list.ts";
import { testOperationIds } from "./records/operation_ids.ts";
import { testPayload } from "./records/payload.ts";
import { suiteFor } from "./records/promise.ts";
import { testPurge } from "./records/purge.ts";
import { testReopening } from "./records/reopening.ts";
import { testRevisions } from "./records/revisions.ts";
import { testStoredDamage } from "./records/stored_damage.ts";
import { testUpdate } from "./records/update.ts";
import { testWorkedExample } from "./records/worked_example.ts";

/** Registers the suite for one target. */
export function testRecords(target: StoreTarget): void {
  const suite = suiteFor(target);
  testWorkedExample(suite);
  testIdentity(suite);
  testPayload(suite);
  testJson(suite);
  testRevisions(suite);
  testExpiry(suite);
  testPurge(suite);
  testUpdate(suite);
  testList(suite);
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
