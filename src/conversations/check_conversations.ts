/** Checks every scope, turn, pin, summary and cached response, and that their totals and references agree. */

import { checksumOf } from "../canonical/checksum.ts";
import { equalBytes } from "../canonical/keyed_hash.ts";
import { unpackPin, unpackSummary } from "../contracts/stored/unpack.ts";
import { scopeHashOf } from "../deletion/scope_hashes.ts";
import { nameOf } from "../tables/subjects.ts";
import { ORPHANS } from "../deletion/orphans.ts";
import { type ScopeRow, SELECT_SCOPE_BY_ROW, toScopeRow } from "../tables/scopes.ts";
import { SUM_JOURNALS } from "../tables/journals.ts";
import type { CheckCollector } from "../engine/check_collector.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { CHECK_ATTEMPTS_PER_SCOPE, CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { checkIndexes } from "../index/check_index.ts";
import { SELECT_DESCRIPTION, toDescription } from "../tables/descriptions.ts";
import { requirePin, SELECT_PINS, toPinFields } from "../tables/pins.ts";
import { SELECT_REPLAYS, toReplay } from "../tables/replays.ts";
import { requireSummary, SELECT_COVERED_TURN_IDS, SELECT_SUMMARY } from "../tables/summaries.ts";
import { SELECT_TURNS_AFTER, type StoredTurn, toStoredTurn, toTurnFields } from "../tables/turns.ts";
import { checkMedia, checkMediaOfTurn } from "../media/check_media.ts";
import { COUNT_OPERATIONS } from "../tables/operation_ids.ts";

const SELECT_SCOPE_IDS = `SELECT id FROM scopes WHERE id > $1 ORDER BY id LIMIT $2`;

const SELECT_MESSAGE_IDS = `SELECT message_id FROM message_ids WHERE turn = $1 ORDER BY message_id`;

const SELECT_FLOORS = `SELECT scope_hash, key_hash, floor, checksum FROM floors`;

/** Rows that hang from nothing, or that no reading in the order of ids comes to. */
const STRAYS: readonly (readonly [table: string, sql: string])[] = [
  ["scopes", `SELECT count(*) FROM scopes WHERE id < 1`],
  ["turns", `SELECT count(*) FROM turns WHERE id < 1`],
  ...ORPHANS,
];

/** Looks through all conversations; what is damaged goes to the collector. */
export async function checkConversations(
  engine: Pick<Engine, "read">,
  collector: CheckCollector,
): Promise<void> {
  const reader = new Reader(engine, collector);
  for (let after = 0;;) {
    const scopes = await reader.all("scopes", SELECT_SCOPE_IDS, after, CHECK_ROWS_PER_BATCH);
    for (const [id] of scopes) {
      after = id as number;
      await checkWhileItRests(reader, after);
    }
    await collector.batch("scopes", scopes.length);
    if (scopes.length < CHECK_ROWS_PER_BATCH) break;
  }
  for (const [table, sql] of STRAYS) {
    const orphans = (await reader.all(table, sql))[0]?.[0] as number | undefined;
    if (orphans !== undefined && orphans > 0) {
      collector.problem("main", table, `${orphans} rows hang from nothing`);
    }
  }
  for (const [scopeHash, keyHash, floor, checksum] of await reader.all("floors", SELECT_FLOORS)) {
    if (checksumOf(scopeHash!, keyHash!, floor!) !== checksum) {
      collector.problem("main", "floors", "The checksum of a floor does not match");
    }
  }
}

/** Reads for a check: what cannot be read is noted, and counts as nothing. */
class Reader {
  readonly collector: CheckCollector;
  readonly #engine: Pick<Engine, "read">;
  #hashKey: Promise<Uint8Array | null> | null = null;

  constructor(engine: Pick<Engine, "read">, collector: CheckCollector) {
    this.#engine = engine;
    this.collector = collector;
  }

  async all(table: string, sql: string, ...parameters: SqlValue[]): Promise<readonly Row[]> {
    return await this.read(table, (transaction) => transaction.all(sql, ...parameters)) ?? [];
  }

  /** Runs a read of one table; undefined where it cannot be read. */
  async read<T>(
    table: string,
    factory: (transaction: ReadTransaction) => Operation<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#engine.read(factory, { concerns: () => false });
    } catch (error) {
      this.collector.caught("main", table, error);
      return undefined;
    }
  }

  /** The key of all keyed hashes, which never changes; null if it cannot be read. */
  async hashKey(): Promise<Uint8Array | null> {
    this.#hashKey ??= this.#engine.read((transaction) => transaction.facts(), { concerns: () => false })
      .then((facts) => facts.hashKey).catch((error) => {
        this.collector.caught("main", "meta", error);
        return null;
      });
    return await this.#hashKey;
  }

  /** Validates one row. */
  validate(table: string, place: string, validate: () => void): void {
    try {
      validate();
    } catch (error) {
      this.collector.caught("main", table, error, place);
    }
  }
}

const SELECT_INDEX_CHECKSUMS = `SELECT id, checksum FROM chunk_indexes WHERE scope = $1 ORDER BY id`;

/** A scope's row and what changes when it is indexed, which moves neither its revision nor its row. */
async function readState(
  reader: Reader,
  id: SqlValue,
): Promise<{ readonly row?: Row; readonly state: string }> {
  const [row] = await reader.all("scopes", SELECT_SCOPE_BY_ROW, id);
  const indexes = await reader.all("chunk_indexes", SELECT_INDEX_CHECKSUMS, id);
  return row === undefined ? { state: "" } : { row, state: JSON.stringify([row, indexes]) };
}

/** A scope is read in several goes; what was found counts only if neither it nor its indexes changed meanwhile. */
async function checkWhileItRests(reader: Reader, id: SqlValue): Promise<void> {
  const { collector } = reader;
  let { row, state } = await readState(reader, id);
  for (let attempt = 0; attempt < CHECK_ATTEMPTS_PER_SCOPE && row !== undefined; attempt++) {
    const mark = collector.mark();
    try {
      await checkScope(reader, toScopeRow(row));
    } catch (error) {
      collector.caught("main", "scopes", error, `scope ${id}`);
    }
    if (!collector.hasProblemSince(mark)) return;
    const now = await readState(reader, id);
    if (now.state === state) return;
    collector.takeBack(mark);
    ({ row, state } = now);
  }
}

async function checkScope(reader: Reader, scope: ScopeRow): Promise<void> {
  const { collector } = reader;
  const place = `${scope.tenant}/${scope.session}`;
  const hashKey = await reader.hashKey();
  if (hashKey !== null && !isFoundBy(hashKey, scope)) {
    collector.problem("main", "scopes", "The scope cannot be found by its name", place);
  }
  const { turns, bytes, references } = await checkTurns(reader, scope, place);
  if (turns !== scope.turns) collector.problem("main", "scopes", "The number of turns is wrong", place);
  if (bytes !== scope.turnBytes) collector.problem("main", "scopes", "The size of the turns is wrong", place);
  const pins = await checkPins(reader, scope, place);
  if (pins !== scope.pins) collector.problem("main", "scopes", "The number of pins is wrong", place);
  await checkMedia(reader, scope, { place, references });
  await checkJournalTotals(reader, scope, place);
  await checkSummary(reader, scope, place);
  await checkDescription(reader, scope, place);
  await checkReplays(reader, scope, place);
  await checkIndexes(reader, scope, place);
  const operations = (await reader.all("operations", COUNT_OPERATIONS, scope.scopeHash))[0]?.[0];
  if (operations !== scope.operations) {
    collector.problem("main", "scopes", "The number of remembered operations is wrong", place);
  }
}

function isFoundBy(hashKey: Uint8Array, { scopeHash, tenant, session }: ScopeRow): boolean {
  return equalBytes(scopeHashOf(hashKey, { tenantId: tenant, sessionId: session }), scopeHash);
}

async function checkTurns(
  reader: Reader,
  scope: ScopeRow,
  place: string,
): Promise<{ readonly turns: number; readonly bytes: number; readonly references: number }> {
  let turns = 0;
  let bytes = 0;
  let references = 0;
  for (let after = 0;;) {
    const rows = await reader.all("turns", SELECT_TURNS_AFTER, scope.id, after, CHECK_ROWS_PER_BATCH);
    for (const row of rows) {
      const fields = toTurnFields(row);
      after = fields.id;
      turns++;
      bytes += fields.bytes;
      const ids = await reader.all("message_ids", SELECT_MESSAGE_IDS, after);
      let stored = null as StoredTurn | null;
      reader.validate("turns", `${place}/${fields.turnId}`, () => {
        const { turn } = stored = toStoredTurn(scope, row);
        const own = turn.messages.map((message) => message.messageId).sort();
        const kept = ids.map(([id]) => id as string).sort();
        if (own.length !== kept.length || own.some((id, index) => id !== kept[index])) {
          reader.collector.problem(
            "main",
            "message_ids",
            "Message ids differ from the turn's",
            `${place}/${fields.turnId}`,
          );
        }
      });
      if (stored !== null) {
        references += await checkMediaOfTurn(reader, stored, `${place}/${fields.turnId}`);
      }
      if (fields.expires !== null && (scope.nextExpiry === null || fields.expires < scope.nextExpiry)) {
        reader.collector.problem("main", "scopes", "Something expires before the time that is noted", place);
      }
    }
    await reader.collector.batch("turns", rows.length);
    if (rows.length < CHECK_ROWS_PER_BATCH) return { turns, bytes, references };
  }
}

async function checkPins(reader: Reader, scope: ScopeRow, place: string): Promise<number> {
  const rows = await reader.all("pins", SELECT_PINS, scope.id);
  for (const row of rows) {
    const { key, revision } = toPinFields(row);
    reader.validate("pins", `${place}/${key}`, () => {
      const pin = unpackPin(requirePin(scope, row).payload);
      if (pin.key !== key || pin.revision !== revision) {
        reader.collector.problem(
          "main",
          "pins",
          "A pin's payload is not the one of its row",
          `${place}/${key}`,
        );
      }
    });
  }
  await reader.collector.batch("pins", rows.length);
  return rows.length;
}

async function checkJournalTotals(reader: Reader, scope: ScopeRow, place: string): Promise<void> {
  const [found] = await reader.all("journals", SUM_JOURNALS, scope.id);
  if (found === undefined || (found[0] === scope.journals && found[1] === scope.journalBytes)) return;
  reader.collector.problem("main", "scopes", "The number or size of the journals is wrong", place);
}

async function checkSummary(reader: Reader, scope: ScopeRow, place: string): Promise<void> {
  const [row] = await reader.all("summaries", SELECT_SUMMARY, scope.id);
  const covered = await reader.all("covered_turns", SELECT_COVERED_TURN_IDS, scope.id);
  if (row === undefined) {
    if (covered.length > 0) {
      reader.collector.problem("main", "covered_turns", "Turns are covered by no summary", place);
    }
    return;
  }
  reader.validate("summaries", place, () => {
    const { coveredTurnIds } = unpackSummary(requireSummary(scope, row).payload);
    if (
      coveredTurnIds.length !== covered.length ||
      covered.some(([turnId], index) => turnId !== coveredTurnIds[index])
    ) {
      reader.collector.problem("main", "summaries", "A summary covers other turns than are noted", place);
    }
  });
  await reader.collector.batch("summaries", 1);
}

async function checkDescription(reader: Reader, scope: ScopeRow, place: string): Promise<void> {
  const [row] = await reader.all("descriptions", SELECT_DESCRIPTION, scope.id);
  const hashKey = await reader.hashKey();
  reader.validate("descriptions", place, () => {
    const { names } = toDescription(scope, row);
    if (names.length === 0 || hashKey === null || nameOf(hashKey, { ...scope, names }) !== null) return;
    reader.collector.problem("main", "descriptions", "No name is that of the session's subject", place);
  });
}

async function checkReplays(reader: Reader, scope: ScopeRow, place: string): Promise<void> {
  const rows = await reader.all("replays", SELECT_REPLAYS, scope.id);
  for (const { key, isIntact } of rows.map(toReplay)) {
    if (!isIntact) {
      reader.collector.problem(
        "main",
        "replays",
        "The checksum of a cached response does not match",
        `${place}/${key}`,
      );
    }
  }
  await reader.collector.batch("replays", rows.length);
}
