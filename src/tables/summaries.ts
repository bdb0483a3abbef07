/** Summaries: their rows, validated where they are read, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";
import type { Damage } from "../engine/damage.ts";
import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import type { Fields } from "./schema/descriptor.ts";
import { COVERED_TURNS, SCOPES, SUMMARIES } from "./schema/main_tables.ts";

/** A summary's row. */
type SummaryFields = Fields<typeof SUMMARIES.columns>;

/** A summary as it is stored, at some time. */
export interface StoredSummary {
  /** Milliseconds: from when it counts. */
  readonly created: number;
  readonly payload: string;
  /** Whether it, or a turn that it covers, has expired: then it no longer counts, though it is not erased yet. */
  readonly isExpired: boolean;
}

/** The summary of a scope. Parameter: the scope's row. */
export const SELECT_SUMMARY = `${SUMMARIES.select} WHERE scope = $1`;

/** A scope with its summary, whose columns are null if there is none. Parameter: the hash of the scope. */
export const SELECT_SCOPE_AND_SUMMARY = `SELECT ${SCOPES.qualified}, ${SUMMARIES.qualified} FROM scopes
  LEFT JOIN summaries ON summaries.scope = scopes.id WHERE scopes.scope_hash = $1`;

/** The columns of a summary in such a row; undefined if there is none. */
export function summaryOf(row: Row): Row | undefined {
  const start = SCOPES.columnNames.length;
  return row[start] === null ? undefined : row.slice(start);
}

/** Whether a summary covers a turn. Parameters: the scope's row, the turn's row. */
export const SELECT_COVERED = `SELECT turn FROM covered_turns WHERE scope = $1 AND turn = $2`;

/** The ids of the turns that a summary covers, in the order of the history; null for one that does not exist. */
export const SELECT_COVERED_TURN_IDS = `SELECT turns.turn_id FROM covered_turns LEFT JOIN turns
  ON turns.id = covered_turns.turn AND turns.scope = covered_turns.scope
  WHERE covered_turns.scope = $1 ORDER BY covered_turns.turn`;

/** Decodes the summary of a scope; null if there is none, or it is damaged and left out. */
export function* toStoredSummary(
  transaction: ReadTransaction,
  scope: ScopeRow,
  row: Row | undefined,
  { atMs, expiredTurns, damage }: {
    readonly atMs: number;
    readonly expiredTurns: { keys(): Iterable<number> };
    readonly damage: Damage;
  },
): Operation<StoredSummary | null> {
  if (row === undefined) return null;
  const summary = damage.read(() => requireSummary(scope, row));
  if (summary === undefined) return null;
  const { created, expires, payload } = summary;
  if (expires !== null && expires <= atMs) return { created, payload, isExpired: true };
  const keys = [...expiredTurns.keys()].map((turn) => [scope.id, turn]);
  const covered = yield* transaction.getEach(SELECT_COVERED, keys);
  return { created, payload, isExpired: covered.some((turn) => turn !== undefined) };
}

/** Requires that a summary's row is intact, its payload included. */
export function requireSummary(scope: Pick<ScopeRow, "tenant" | "session">, row: Row): SummaryFields {
  const summary = SUMMARIES.toFields(row);
  const { payload, payloadChecksum } = summary;
  if (SUMMARIES.isIntact(summary) && typeof payload === "string" && checksumOf(payload) === payloadChecksum) {
    return summary;
  }
  throw damagedRow("The checksum of a summary does not match", "summaries", scope);
}

/** Writes a summary where there is none, and the rows of the turns that it covers. */
export function* insertSummary(
  transaction: WriteTransaction,
  summary: Omit<SummaryFields, "payloadChecksum" | "checksum">,
  turns: readonly number[],
): Operation<void> {
  const payloadChecksum = checksumOf(summary.payload);
  yield* together([
    transaction.run(SUMMARIES.insert, ...SUMMARIES.toValues({ ...summary, payloadChecksum })),
    transaction.runEach(
      COVERED_TURNS.insert,
      turns.map((turn) => COVERED_TURNS.toValues({ scope: summary.scope, turn })),
    ),
  ]);
}
