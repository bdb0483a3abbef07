/** Checks every record, remembered operation and floor. */

import { checksumOf } from "../canonical/checksum.ts";
import { isBuiltIn, type RecordKind } from "../contracts/record_kind.ts";
import type { CheckCollector } from "../engine/check_collector.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { fromBody, readBody } from "./validate_value.ts";
import { toRecord } from "./read.ts";
import type { Identity } from "../tables/records.ts";

const SELECT_RECORDS =
  `SELECT revision, created, max_age, expires, value_checksum, checksum, body, tenant, kind, key
  FROM records WHERE (tenant, kind, key) > ($1, $2, $3) ORDER BY tenant, kind, key LIMIT $4`;

const SELECT_OPERATIONS = `SELECT scope_hash, operation_hash, input_hash, result, at, checksum FROM operations
  WHERE (scope_hash, operation_hash) > ($1, $2) ORDER BY scope_hash, operation_hash LIMIT $3`;

/** Looks through all records and remembered operations; what is damaged goes to the collector. */
export async function checkRecords(
  engine: Pick<Engine, "read">,
  kinds: ReadonlyMap<string, RecordKind>,
  collector: CheckCollector,
): Promise<void> {
  let after: Identity = { tenantId: "", kind: "", key: "" };
  for (;;) {
    const rows = await readBatch(engine, "records", collector, (transaction) =>
      transaction.all(
        SELECT_RECORDS,
        after.tenantId,
        after.kind,
        after.key,
        CHECK_ROWS_PER_BATCH,
      )) ?? [];
    const facts = await readBatch(engine, "meta", collector, (transaction) => transaction.facts());
    for (const row of rows) {
      after = { tenantId: row[7] as string, kind: row[8] as string, key: row[9] as string };
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
    const { head, body } = toRecord(identity, row);
    if (head.revision < 1) {
      collector.problem("main", "records", "A revision that was never given out", place);
    }
    if (head.revision > counter) {
      collector.problem("main", "records", "The counter is behind a revision", place);
    }
    const kind = kinds.get(identity.kind);
    if (kind === undefined) return;
    if (isBuiltIn(kind)) fromBody(kind, body);
    const { field } = readBody(kind, body);
    if (field !== null) collector.misfit(place, field);
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
      (transaction) => transaction.all(SELECT_OPERATIONS, after[0], after[1], CHECK_ROWS_PER_BATCH),
    ) ?? [];
    for (const row of rows) {
      after = [row[0] as Uint8Array, row[1] as Uint8Array];
      if (checksumOf(...row.slice(0, 5)) !== row[5]) {
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
