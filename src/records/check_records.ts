/** Checks every record, remembered operation and floor. */

import type { RecordKind } from "../contracts/record_kind.ts";
import type { CheckCollector } from "../engine/check_collector.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { readStored } from "./stored_value.ts";
import { SELECT_OPERATIONS_AFTER, toOperation } from "../tables/operation_ids.ts";
import { identityOf, requireRecord, SELECT_RECORDS_AFTER } from "../tables/record_rows.ts";
import type { Identity } from "../tables/records.ts";

/** Checks all records and remembered operations; reports damage to the collector. */
export async function checkRecords(
  engine: Pick<Engine, "read">,
  kinds: ReadonlyMap<string, RecordKind>,
  collector: CheckCollector,
): Promise<void> {
  let after: Identity = { tenantId: "", kind: "", key: "" };
  for (;;) {
    const rows = await readBatch(engine, "records", collector, (transaction) =>
      transaction.all(
        SELECT_RECORDS_AFTER,
        after.tenantId,
        after.kind,
        after.key,
        CHECK_ROWS_PER_BATCH,
      )) ?? [];
    const facts = await readBatch(engine, "meta", collector, (transaction) => transaction.facts());
    for (const row of rows) {
      after = identityOf(row);
      checkRecord(after, row, kinds, facts?.counter ?? 0, collector);
    }
    await collector.batch("records", rows.length);
    if (rows.length < CHECK_ROWS_PER_BATCH) break;
  }
  await checkOperations(engine, collector);
}

function checkRecord(
  identity: Identity,
  row: Row,
  kinds: ReadonlyMap<string, RecordKind>,
  counter: number,
  collector: CheckCollector,
): void {
  const place = `${identity.tenantId}/${identity.kind}/${identity.key}`;
  try {
    const { head, body } = requireRecord(row);
    if (head.revision < 1) {
      collector.problem("main", "records", "A revision that was never issued", place);
    }
    if (head.revision > counter) {
      collector.problem("main", "records", "The counter is behind a revision", place);
    }
    const kind = kinds.get(identity.kind);
    if (kind === undefined) return;
    const { error } = readStored(kind, { version: head.version, body });
    if (error !== null) collector.misfit(place, error.field);
  } catch (error) {
    collector.caught("main", "records", error, place);
  }
}

async function checkOperations(engine: Pick<Engine, "read">, collector: CheckCollector): Promise<void> {
  let after: readonly [Uint8Array, Uint8Array] = [new Uint8Array(), new Uint8Array()];
  for (;;) {
    const rows = await readBatch(
      engine,
      "operations",
      collector,
      (transaction) => transaction.all(SELECT_OPERATIONS_AFTER, after[0], after[1], CHECK_ROWS_PER_BATCH),
    ) ?? [];
    for (const row of rows) {
      const { operation, isIntact } = toOperation(row);
      after = [operation.scopeHash, operation.operationHash];
      if (!isIntact) {
        collector.problem("main", "operations", "The checksum of a remembered operation does not match");
      }
    }
    await collector.batch("operations", rows.length);
    if (rows.length < CHECK_ROWS_PER_BATCH) return;
  }
}

async function readBatch<T>(
  engine: Pick<Engine, "read">,
  table: string,
  collector: CheckCollector,
  factory: (transaction: ReadTransaction) => Operation<T>,
): Promise<T | null> {
  try {
    return await engine.read(factory, { concerns: () => false });
  } catch (error) {
    collector.caught("main", table, error);
    return null;
  }
}
