/** Removes damaged rows from a copy of main, and rows that cite them. */

import { mendNextScope } from "./conversations/mend_scopes.ts";
import { mendStrays } from "./conversations/mend_strays.ts";
import { drainScopes } from "./deletion/draining_scopes.ts";
import type { Damage } from "./engine/damage.ts";
import type { CopyStep } from "./engine/engine_files.ts";
import { mendJournals, mendStrayJournals } from "./journals/mend_journals.ts";
import { mendOperations, mendRecords, type OperationPlace } from "./records/mend_records.ts";
import type { Identity } from "./tables/records.ts";

const NO_BYTES = new Uint8Array();

/** Mends a copy, step by step. Never removes meta, events or floors: without them, deleted things could come back. */
export async function mendCopy(step: CopyStep, hashKey: Uint8Array, damage: Damage): Promise<void> {
  const mending = { hashKey, damage };
  while (await step(drainScopes));
  for (let after: Identity | null = { tenantId: "", kind: "", key: "" }; after !== null;) {
    const from: Identity = after;
    after = await step((transaction) => mendRecords(transaction, from, damage));
  }
  for (let after: OperationPlace | null = [NO_BYTES, NO_BYTES]; after !== null;) {
    const from: OperationPlace = after;
    after = await step((transaction) => mendOperations(transaction, from, damage));
  }
  await step((transaction) => mendStrays(transaction, mending));
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const scope: number | null = await step((transaction) => mendNextScope(transaction, from, mending));
    if (scope !== null) await step((transaction) => mendJournals(transaction, scope, mending));
    after = scope;
  }
  await step((transaction) => mendStrayJournals(transaction, mending));
}
