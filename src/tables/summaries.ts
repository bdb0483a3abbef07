/** A summary's row, judged where it enters. */

import { checksumOf } from "../canonical/checksum.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";

/** A summary as it is stored, at some time. */
export interface StoredSummary {
  /** Milliseconds: from when it counts. */
  readonly created: number;
  readonly payload: string;
  /** Whether it has expired, or covers a turn that has: then it counts no more, though it is not erased yet. */
  readonly isDue: boolean;
}

const SELECT_SUMMARY =
  `SELECT created, expires, payload_checksum, checksum, payload FROM summaries WHERE scope = $1`;

const SELECT_COVERED = `SELECT turn FROM covered_turns WHERE scope = $1 AND turn = $2`;

/** The summary of a scope; null if there is none, or it is damaged and left out. */
export function* readSummary(
  transaction: ReadTransaction,
  scope: ScopeRow,
  atMs: number,
  dueTurns: { keys(): Iterable<number> },
  damage: Damage,
): Operation<StoredSummary | null> {
  const row = yield* transaction.get(SELECT_SUMMARY, scope.id);
  if (row === undefined) return null;
  const payload = damage.read(() => requireSummaryRow(scope, row));
  if (payload === undefined) return null;
  const [created, expires] = row as [number, number | null];
  let isDue = expires !== null && expires <= atMs;
  for (const turn of dueTurns.keys()) {
    if (isDue) break;
    isDue = (yield* transaction.get(SELECT_COVERED, scope.id, turn)) !== undefined;
  }
  return { created, payload, isDue };
}

/** Judges a summary's row by its checksums; gives the payload. */
export function requireSummaryRow(scope: Pick<ScopeRow, "id" | "tenant" | "session">, row: Row): string {
  const [created, expires, payloadChecksum, checksum, payload] = row;
  const sum = checksumOf(scope.id, created!, expires!, payloadChecksum!);
  if (sum !== checksum || typeof payload !== "string" || checksumOf(payload) !== payloadChecksum) {
    throw damagedRow("The checksum of a summary does not match", "summaries", scope);
  }
  return payload;
}
