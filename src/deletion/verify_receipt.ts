/** Looks at a receipt again: the whole chain, the event, and every table for what might remain. */

import { equalBytes } from "../canonical/keyed_hash.ts";
import { instantFromMs } from "../canonical/time.ts";
import { readFields } from "../contracts/arguments.ts";
import type { Receipt, ReceiptReport } from "../contracts/receipt.ts";
import { decodeCounts } from "../engine/chain.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ContractError } from "../errors.ts";
import { type Erased, nothingErased } from "./cascade.ts";
import { itemHashOf } from "./hashes.ts";
import { ORPHANS } from "./orphans.ts";
import { readScopeAnyhow } from "./scope_row.ts";

const RECEIPT_FIELDS = [
  "lineage",
  "sequence",
  "head",
  "kind",
  "at",
  "already",
  "scrubbed",
  "erased",
] as const;

/** Verifies a receipt. */
export async function verifyReceipt(engine: Engine, value: unknown): Promise<ReceiptReport> {
  const receipt = requireReceipt(value);
  const lineage = receipt.lineage === engine.lineage;
  const chain = lineage && await engine.verifyLedger();
  const found = lineage
    ? await engine.read((transaction) => lookAgain(transaction, engine.hashKey, receipt))
    : null;
  const event = found?.event ?? false;
  const applied = found?.applied ?? false;
  const remains = found?.remains ?? {};
  const valid = lineage && chain && event && applied && Object.keys(remains).length === 0;
  return { valid, lineage, chain, event, applied, remains };
}

type JudgedReceipt = Pick<Receipt, "lineage" | "sequence" | "head" | "kind" | "at" | "erased">;

const COUNT_NAMES = Object.keys(nothingErased()) as readonly (keyof Erased)[];

function requireReceipt(value: unknown): JudgedReceipt {
  const { lineage, sequence, head, kind, at, erased } = readFields("receipt", value, RECEIPT_FIELDS);
  if (
    typeof lineage !== "string" || !Number.isSafeInteger(sequence) || typeof head !== "string" ||
    typeof at !== "string" || (kind !== "scope" && kind !== "turn" && kind !== "pin")
  ) {
    throw new ContractError("receipt", "Expected receipt to be what a deletion gave back");
  }
  const counts = readFields("receipt.erased", erased, COUNT_NAMES) as unknown as Erased;
  return { lineage, sequence: sequence as number, head, kind, at, erased: counts };
}

const SELECT_EVENT =
  `SELECT kind, scope_hash, key_hash, burned, at, counts, head FROM deletions WHERE sequence = $1`;

interface Found {
  readonly event: boolean;
  readonly applied: boolean;
  readonly remains: Readonly<Record<string, number>>;
}

function* lookAgain(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  receipt: JudgedReceipt,
): Operation<Found> {
  const row = yield* transaction.get(SELECT_EVENT, receipt.sequence);
  if (row === undefined) return { event: false, applied: false, remains: {} };
  const [kind, scopeHash, keyHash, burned, at, counts, head] = row as [
    string,
    Uint8Array,
    Uint8Array,
    number,
    number,
    string,
    string,
  ];
  const event = kind === receipt.kind && burned === 1 && head === receipt.head &&
    instantFromMs(at).text === receipt.at && saysTheSame(receipt.erased, counts);
  const remains: Record<string, number> = {};
  if (event && kind === "scope") yield* lookForScope(transaction, scopeHash, remains);
  else if (event) yield* lookForItem(transaction, hashKey, { kind, scopeHash, keyHash }, remains);
  return { event, applied: true, remains };
}

/** Whether a receipt's counts are those of the event, which the chain covers. */
function saysTheSame(erased: Erased, counts: string): boolean {
  const recorded = { ...nothingErased(), ...decodeCounts(counts) as Partial<Erased> };
  return COUNT_NAMES.every((name) => erased[name] === recorded[name]);
}

const COUNT_SCOPES = `SELECT count(*) FROM scopes WHERE scope_hash = $1`;
const COUNT_OPERATIONS = `SELECT count(*) FROM operations WHERE scope_hash = $1`;
const COUNT_FLOORS = `SELECT count(*) FROM floors WHERE scope_hash = $1`;

const COUNT_PINS_WITHOUT_SOURCE = `SELECT count(*) FROM pins WHERE source_turn IS NOT NULL
  AND source_turn NOT IN (SELECT id FROM turns)`;

function* lookForScope(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
  remains: Record<string, number>,
): Operation<void> {
  yield* count(transaction, "scopes", COUNT_SCOPES, remains, scopeHash);
  yield* count(transaction, "operations", COUNT_OPERATIONS, remains, scopeHash);
  yield* count(transaction, "floors", COUNT_FLOORS, remains, scopeHash);
  yield* lookForOrphans(transaction, remains);
}

function* lookForOrphans(transaction: ReadTransaction, remains: Record<string, number>): Operation<void> {
  for (const [table, sql] of ORPHANS) yield* count(transaction, table, sql, remains);
  yield* count(transaction, "pins", COUNT_PINS_WITHOUT_SOURCE, remains);
}

function* count(
  transaction: ReadTransaction,
  table: string,
  sql: string,
  remains: Record<string, number>,
  ...parameters: Uint8Array[]
): Operation<void> {
  const rows = (yield* transaction.get(sql, ...parameters))![0] as number;
  if (rows > 0) remains[table] = (remains[table] ?? 0) + rows;
}

const SELECT_TURN_IDS = `SELECT turn_id FROM turns WHERE scope = $1`;
const SELECT_PIN_KEYS = `SELECT key FROM pins WHERE scope = $1`;

/** Identifiers are found by hashing each one that is there. */
function* lookForItem(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  event: { readonly kind: string; readonly scopeHash: Uint8Array; readonly keyHash: Uint8Array },
  remains: Record<string, number>,
): Operation<void> {
  const found = yield* readScopeAnyhow(transaction, event.scopeHash);
  if (found !== null) {
    const { row } = found;
    const kind = event.kind === "turn" ? "turn" : "pin";
    const scope = { tenantId: row.tenant, sessionId: row.session };
    const rows = yield* transaction.all(kind === "turn" ? SELECT_TURN_IDS : SELECT_PIN_KEYS, row.id);
    const there = rows.filter(([key]) =>
      equalBytes(itemHashOf(hashKey, kind, scope, key as string), event.keyHash)
    );
    if (there.length > 0) remains[`${kind}s`] = there.length;
  }
  yield* lookForOrphans(transaction, remains);
}
