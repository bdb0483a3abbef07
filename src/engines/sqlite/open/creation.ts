/** Creates a store in the steps of the two-file protocol; the next open finishes any prefix of them. */

import { randomBytes, randomIdentity } from "../../../clock.ts";
import { because, IntegrityError } from "../../../errors.ts";
import { firstHead } from "../../../engine/chain.ts";
import { mainIsMissing } from "../database/agreement.ts";
import type { Connection } from "../database/connection.ts";
import { schemaVersion } from "../database/database.ts";
import type { Ledger, LedgerMeta } from "../database/ledger.ts";
import { insertMainMeta, readMainMeta } from "../database/main_meta.ts";
import { upgradeSchema } from "../database/formats.ts";

/** Size of the key of all keyed hashes, in bytes. */
const HASH_KEY_BYTES = 32;

/** Step 1: creates the ledger's schema and lineage, with a null epoch, unless it has them. */
export function ensureLedger(ledger: Ledger): void {
  const { connection } = ledger;
  if (schemaVersion(connection) > 0) return;
  inTransaction(connection, () => {
    if (schemaVersion(connection) > 0) return;
    upgradeSchema(connection);
    const lineage = randomIdentity();
    ledger.insertMeta({
      lineage,
      generation: 0,
      epoch: null,
      count: 0,
      head: firstHead(lineage),
      probe: 0,
      announced: null,
    });
  });
  ledger.forgetMeta();
}

/** Step 2: creates main with the ledger's lineage, a new epoch and a random hash key, unless it exists. */
export function ensureMain(main: Connection, ledger: Ledger): void {
  if (schemaVersion(main) > 0) return;
  inTransaction(main, () => {
    if (schemaVersion(main) > 0) return;
    const meta = ledger.readMeta();
    if (meta.epoch !== null) throw mainIsMissing();
    upgradeSchema(main);
    insertMainMeta(main, {
      lineage: meta.lineage,
      generation: meta.generation,
      epoch: randomIdentity(),
      pendingFrom: null,
      applied: meta.count,
      appliedHead: meta.head,
      verified: meta.count,
      counter: 0,
      lastIds: { scopes: 0, turns: 0, chunk_indexes: 0, journals: 0 },
      clockMark: 0,
      clockEpoch: 0,
      hashKey: randomBytes(HASH_KEY_BYTES),
      probe: 0,
      scrubs: 0,
      shrunkBytes: null,
    });
  });
}

/** Step 3: writes main's epoch to the ledger, which makes this main live, unless the ledger has one. */
export function ensureEpoch(main: Connection, ledger: Ledger): void {
  if (ledger.readMeta().epoch !== null) return;
  inTransaction(main, () => {
    const { epoch, lineage } = readMainMeta(main);
    inTransaction(ledger.connection, () => {
      const meta: LedgerMeta = ledger.readMeta();
      if (meta.lineage !== lineage) {
        throw new IntegrityError("Cannot use store: its ledger belongs to another store", {
          details: because("other-ledger"),
        });
      }
      if (meta.epoch === null) ledger.updateMeta({ ...meta, epoch });
    });
  });
  ledger.forgetMeta();
}

function inTransaction(connection: Connection, body: () => void): void {
  connection.begin("immediate");
  try {
    body();
    connection.commit();
  } catch (error) {
    throw connection.abandon(error);
  }
}
