/** Looks at a receipt again: the whole chain, the event, and every table for what might remain. */

import { equalBytes, toHex } from "../canonical/keyed_hash.ts";
import { instantFromMs } from "../canonical/time.ts";
import { readFields, requireText } from "../contracts/arguments.ts";
import type { ErasedCounts, Receipt, ReceiptReport, ReceiptTarget } from "../contracts/options/receipt.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction, RecordedEvent } from "../engine/operation.ts";
import type { SqlValue } from "../engine/values.ts";
import { ContractError, IntegrityError } from "../errors.ts";
import { TURN_BYTES_MAX } from "../limits.ts";
import { nothingErased } from "./cascade.ts";
import { countOwned } from "./erase_owned.ts";
import { itemHashOf, tenantHash } from "./scope_hashes.ts";
import { hashOfSubject } from "../tables/subjects.ts";
import { ORPHANS } from "./orphans.ts";
import { countNames, receiptMac, receiptTarget } from "./receipt_mac.ts";
import { SELECT_JOURNALS, toJournalUnchecked } from "../tables/journals.ts";
import { readScopeUnchecked } from "../tables/scopes.ts";
import { COUNT_OPERATIONS } from "../tables/operation_ids.ts";
import { SELECT_PIN_KEYS } from "../tables/pins.ts";

const RECEIPT_FIELDS = [
  ...["lineage", "sequence", "head", "kind", "reserved", "at", "already", "scrubbed"] as const,
  ...["erased", "target", "mac"] as const,
];

const KINDS: ReadonlySet<unknown> = new Set<Receipt["kind"]>(["scope", "turn", "pin", "journal", "erase"]);

/** Verifies a receipt; with a subject, also that it is about that. */
export async function verifyReceipt(
  engine: Engine,
  value: unknown,
  subject: unknown,
): Promise<ReceiptReport> {
  const receipt = requireReceipt(value);
  const about = subject === undefined ? null : isAbout(receipt, engine.hashKey, subject);
  const lineage = receipt.lineage === engine.lineage;
  const authentic = receipt.mac === receiptMac(engine.hashKey, receipt);
  const chain = lineage && await engine.verifyLedger();
  const found = lineage
    ? await engine.read((transaction) => lookAgain(transaction, engine.hashKey, receipt))
    : null;
  const event = found?.event ?? false;
  const applied = found?.applied ?? false;
  const remains = found?.remains ?? {};
  const valid = lineage && authentic && about !== false && chain && event && applied &&
    Object.keys(remains).length === 0;
  return { valid, lineage, authentic, about, chain, event, applied, remains };
}

function requireReceipt(value: unknown): Receipt {
  const { erased, target, ...rest } = readFields("receipt", value, RECEIPT_FIELDS);
  const { lineage, sequence, head, kind, reserved, at, already, scrubbed, mac } = rest;
  if (
    typeof lineage !== "string" || !Number.isSafeInteger(sequence) || typeof head !== "string" ||
    typeof at !== "string" || !KINDS.has(kind) || typeof reserved !== "boolean" ||
    typeof already !== "boolean" || typeof scrubbed !== "boolean" || typeof mac !== "string"
  ) throw noReceipt();
  const counts = readFields("receipt.erased", erased, countNames(kind as Receipt["kind"]));
  if (Object.values(counts).some((count) => typeof count !== "number")) throw noReceipt();
  return {
    ...rest as Receipt,
    erased: counts as unknown as ErasedCounts,
    target: requireTarget(kind as Receipt["kind"], target),
  };
}

function requireTarget(kind: Receipt["kind"], value: unknown): ReceiptTarget {
  const target = readFields("receipt.target", value, ["tenantId", "sessionId", "key", "subject"]);
  const { tenantId, sessionId, key, subject } = target;
  const isHash = (hash: unknown): boolean => typeof hash === "string";
  const isHashOrAbsent = (hash: unknown): boolean => hash === undefined || isHash(hash);
  const areNamed = kind === "erase"
    ? sessionId === undefined && key === undefined && isHashOrAbsent(subject)
    : isHash(sessionId) && isHashOrAbsent(key) && subject === undefined;
  if (isHash(tenantId) && areNamed) return target as unknown as ReceiptTarget;
  throw noReceipt();
}

function noReceipt(): ContractError {
  return new ContractError("receipt", "Expected receipt to be what a deletion returned");
}

/** Whether a receipt names these, as far as they are given. */
function isAbout({ kind, target }: Receipt, hashKey: Uint8Array, value: unknown): boolean {
  const given = readFields("subject", value, ["tenantId", "sessionId", "key", "subject"]);
  const text = (name: keyof typeof given): string =>
    requireText(`subject.${name}`, given[name], TURN_BYTES_MAX);
  const tenantId = text("tenantId");
  if (kind === "erase" || given.subject !== undefined) {
    const subject = given.subject === undefined
      ? undefined
      : toHex(hashOfSubject(hashKey, tenantId, text("subject")));
    return kind === "erase" && given.sessionId === undefined && given.key === undefined &&
      toHex(tenantHash(hashKey, tenantId)) === target.tenantId &&
      (subject === undefined || subject === target.subject);
  }
  if (given.sessionId === undefined) {
    if (given.key === undefined) return toHex(tenantHash(hashKey, tenantId)) === target.tenantId;
    throw new ContractError("subject.sessionId", "Expected subject.sessionId to be given with subject.key");
  }
  const scope = { tenantId, sessionId: text("sessionId") };
  const isUnnamed = kind === "journal" && given.key === "";
  const key = given.key === undefined ? undefined : isUnnamed ? "" : text("key");
  const expected = receiptTarget(hashKey, { kind, scope, key });
  return expected.tenantId === target.tenantId && expected.sessionId === target.sessionId &&
    (key === undefined || (expected.key !== undefined && expected.key === target.key));
}

interface Found {
  readonly event: boolean;
  readonly applied: boolean;
  readonly remains: Readonly<Record<string, number>>;
}

function* lookAgain(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  receipt: Receipt,
): Operation<Found> {
  const found = yield* findEvent(transaction, receipt.sequence);
  if (found === null) return { event: false, applied: false, remains: {} };
  if (found === "damaged") return { event: false, applied: true, remains: {} };
  const { kind, scopeHash, keyHash, reserved, at, counts, head } = found;
  const event = kind === receipt.kind && reserved === receipt.reserved && head === receipt.head &&
    instantFromMs(at).text === receipt.at && saysTheSame(receipt, counts) &&
    namesTheSame(receipt, toHex(scopeHash), toHex(keyHash));
  const remains: Record<string, number> = {};
  if (event && kind === "erase") yield* lookForOwned(transaction, hashKey, found, remains);
  else if (event && kind === "scope") yield* lookForScope(transaction, scopeHash, remains);
  else if (event && kind === "journal") yield* lookForJournal(transaction, hashKey, found, remains);
  else if (event) yield* lookForItem(transaction, hashKey, found, remains);
  return { event, applied: true, remains };
}

/** A damaged event is none that a receipt could be of. */
function* findEvent(
  transaction: ReadTransaction,
  sequence: number,
): Operation<RecordedEvent | "damaged" | null> {
  try {
    return yield* transaction.eventAt(sequence);
  } catch (error) {
    if (error instanceof IntegrityError) return "damaged";
    throw error;
  }
}

/** Whether a receipt names what the event does: an event of a scope has the scope's hash in both places. */
function namesTheSame({ kind, target }: Receipt, scopeHash: string, keyHash: string): boolean {
  if (kind === "erase") return target.tenantId === scopeHash && (target.subject ?? scopeHash) === keyHash;
  return target.sessionId === scopeHash && (kind === "scope" ? scopeHash : target.key) === keyHash;
}

/** Whether a receipt's counts are those of the event, which the chain covers. */
function saysTheSame({ kind, erased }: Receipt, counts: RecordedEvent["counts"]): boolean {
  const recorded = { ...nothingErased(), ...counts as Partial<ErasedCounts> };
  return countNames(kind).every((name) => erased[name] === recorded[name]);
}

const COUNT_SCOPES = `SELECT count(*) FROM scopes WHERE scope_hash = $1`;
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

/** Nothing older than the event is left of a tenant or person. */
function* lookForOwned(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  event: RecordedEvent,
  remains: Record<string, number>,
): Operation<void> {
  for (const [table, rows] of Object.entries(yield* countOwned(transaction, event, hashKey))) {
    if (rows > 0) remains[table] = rows;
  }
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
  ...parameters: SqlValue[]
): Operation<void> {
  const rows = (yield* transaction.get(sql, ...parameters))![0] as number;
  if (rows > 0) remains[table] = (remains[table] ?? 0) + rows;
}

const SELECT_TURN_IDS = `SELECT turn_id FROM turns WHERE scope = $1`;

/** Identifiers are found by hashing each one that is there. What came after an event that reserves nothing may be there. */
function* lookForItem(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  event: RecordedEvent,
  remains: Record<string, number>,
): Operation<void> {
  const found = yield* readScopeUnchecked(transaction, event.scopeHash);
  if (found !== null) {
    const { row } = found;
    const kind = event.kind === "turn" ? "turn" : "pin";
    const scope = { tenantId: row.tenant, sessionId: row.session };
    const rows = yield* transaction.all(kind === "turn" ? SELECT_TURN_IDS : SELECT_PIN_KEYS, row.id);
    const floor = event.reserved ? Infinity : event.floor;
    const there = rows.filter(([key, revision = 0]) =>
      revision as number <= floor &&
      equalBytes(itemHashOf(hashKey, kind, scope, key as string), event.keyHash)
    );
    if (there.length > 0) remains[`${kind}s`] = there.length;
  }
  if (found !== null) yield* count(transaction, "postings", SUM_STALE_POSTINGS, remains, found.row.id);
  yield* lookForOrphans(transaction, remains);
}

/** Postings of a scope's turns that are deleted or changed, and not erased yet. */
const SUM_STALE_POSTINGS = `SELECT coalesce(sum(draining_turns.postings), 0) FROM chunk_indexes
  JOIN draining_turns ON draining_turns.index_id = chunk_indexes.id LEFT JOIN turns ON turns.id = draining_turns.turn
  WHERE chunk_indexes.scope = $1 AND coalesce(turns.payload_checksum <> draining_turns.source, 1)`;

const COUNT_ENTRIES_UP_TO = `SELECT count(*) FROM journal_entries WHERE journal = $1 AND revision <= $2`;

/** Nothing remains of a deleted journal; of one that was cleared, no entry up to the revision that was covered. */
function* lookForJournal(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  event: RecordedEvent,
  remains: Record<string, number>,
): Operation<void> {
  const found = yield* readScopeUnchecked(transaction, event.scopeHash);
  if (found !== null) {
    const scope = { tenantId: found.row.tenant, sessionId: found.row.session };
    const journals = (yield* transaction.all(SELECT_JOURNALS, found.row.id)).map(toJournalUnchecked);
    for (const { row: { id, part } } of journals) {
      if (!equalBytes(itemHashOf(hashKey, "journal", scope, part), event.keyHash)) continue;
      if (event.reserved) remains.journals = 1;
      const floor = event.reserved ? Number.MAX_SAFE_INTEGER : event.floor;
      yield* count(transaction, "journal_entries", COUNT_ENTRIES_UP_TO, remains, id, floor);
    }
  }
  yield* lookForOrphans(transaction, remains);
}
