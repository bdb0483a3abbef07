/** Changes a copy of main before it is published. */

import { yieldIfBusy } from "../../../clock.ts";
import type { EffectiveTime } from "../../../engine/effective_time.ts";
import type { CopyStep } from "../../../engine/engine_files.ts";
import { insertDirty } from "./catch_up.ts";
import { APPLIED_EVENTS } from "../database/applied_events.ts";
import type { Connection } from "../database/connection.ts";
import { GroupTransaction } from "../../../engine/group_transaction.ts";
import { readMainMeta } from "../database/main_meta.ts";
import { GIVE_BACK_PAGES, rewriteDirty } from "./scrubbing.ts";

/** Runs a change step by step in one transaction, and rewrites the tables that it marked as dirty. */
export async function changeCopy(
  copy: Connection,
  time: EffectiveTime,
  { change, signal }: {
    readonly change: (step: CopyStep) => Promise<void>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const transaction = new GroupTransaction(time.readAhead(), readMainMeta(copy), APPLIED_EVENTS);
  copy.begin("immediate");
  try {
    await change(async (factory) => {
      const result = copy.drive(factory(transaction));
      await yieldIfBusy();
      signal?.throwIfAborted();
      return result;
    });
    insertDirty(copy, transaction.dirty);
    await rewriteDirty(copy, transaction, signal);
    copy.commit();
    copy.all(GIVE_BACK_PAGES);
  } catch (error) {
    throw copy.abandon(error);
  }
}
