/** Reads a scope for an export, without expired items: at one moment, or page by page while it does not change. */

import { utf8Length } from "../canonical/utf8.ts";
import type { Metadata } from "../contracts/message.ts";
import { readDescription } from "../tables/descriptions.ts";
import { SELECT_PINS, type StoredPin, toStoredPins } from "../tables/pins.ts";
import { SELECT_SUMMARY, type StoredSummary, toStoredSummary } from "../tables/summaries.ts";
import { SELECT_REFS_OF_TURN, toMediaRef } from "../tables/media.ts";
import {
  requirePayload,
  SELECT_TURNS_AFTER,
  toTurnFields,
  toTurnHead,
  type TurnHead,
} from "../tables/turns.ts";
import type { StoredMedia } from "../media/read_media.ts";
import { readScope, type ScopeRow } from "../tables/scopes.ts";
import type { Damage } from "../engine/damage.ts";
import { type Operation, type ReadTransaction, together } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { EXPORT_ROWS_PER_PAGE } from "../limits.ts";
import {
  type LineSubject,
  lineSubjectOf,
  pinLine,
  pinOutline,
  scopeLine,
  scopeOutline,
  summaryLine,
  summaryOutline,
  turnLine,
  turnOutline,
} from "./line.ts";

/** The scope to read, and how to read it. */
export interface ScopePlan {
  readonly scopeHash: Uint8Array;
  /** The time of the export; items that have expired by then are left out. */
  readonly atMs: number;
  readonly content: boolean;
  /** How to treat damaged turns, pins and summaries. */
  readonly damage: Damage;
}

/** A scope without its turns. */
export interface ScopeView {
  readonly row: ScopeRow;
  /** The scope's line. */
  readonly opening: string;
  /** The lines of its summary and pins, which follow the turns that they cite. */
  readonly closing: { readonly summary: string | null; readonly pins: readonly string[] };
  /** Rows of expired turns. */
  readonly expiredTurns: ReadonlySet<number>;
  /** The row of its newest turn; 0 if it has none. Turns appended later are not part of the view. */
  readonly lastTurn: number;
  /** The number of deletions applied when the scope was read. */
  readonly applied: number;
}

/** Reads a scope without its turns; null if it does not exist. */
function* readView(transaction: ReadTransaction, plan: ScopePlan): Operation<ScopeView | null> {
  const row = yield* readScope(transaction, plan.scopeHash);
  if (row === null) return null;
  const scope = { tenantId: row.tenant, sessionId: row.session };
  const expiredBytes = yield* readExpiredTurns(transaction, row, plan.atMs);
  const expiredTurns = new Set(expiredBytes.keys());
  const opening = plan.content
    ? scopeLine(scope, row, yield* describedFor(transaction, row, plan))
    : scopeOutline(scope, withoutExpired(row, expiredBytes));
  const [summaryRow, pinRows] = yield* together([
    transaction.get(SELECT_SUMMARY, row.id),
    transaction.all(SELECT_PINS, row.id),
  ]);
  const { atMs, damage } = plan;
  const summary = yield* toStoredSummary(transaction, row, summaryRow, { atMs, expiredTurns, damage });
  const pins = toStoredPins(row, pinRows, atMs, expiredTurns, damage);
  const closing = {
    summary: summary === null || summary.isExpired ? null : lineOfSummary(summary, plan),
    pins: pins.filter(({ isExpired }) => !isExpired).map((pin) => lineOfPin(pin, plan)),
  };
  const { applied } = yield* transaction.facts();
  const lastTurn = (yield* transaction.get(SELECT_LAST_TURN, row.id))![0] as number;
  return { row, opening, closing, expiredTurns, lastTurn, applied };
}

function* describedFor(
  transaction: ReadTransaction,
  row: ScopeRow,
  { damage }: ScopePlan,
): Operation<
  { readonly title: string | null; readonly metadata: Metadata | null; readonly whose: LineSubject }
> {
  const { title, metadata, names } = yield* readDescription(transaction, row, damage);
  const { hashKey } = yield* transaction.facts();
  return { title, metadata, whose: lineSubjectOf(hashKey, { ...row, names }) };
}

const SELECT_LAST_TURN = `SELECT coalesce(max(id), 0) FROM turns WHERE scope = $1`;

/**
 * Whether nothing but new turns came since a scope was viewed. Each adds one to the revision and one to the turns; every
 * other change moves the revision and adds no turn.
 */
function isOnlyAppendedTo(viewed: ScopeRow, now: ScopeRow): boolean {
  return now.id === viewed.id && now.revision - now.turns === viewed.revision - viewed.turns;
}

/** A scope's running totals without its expired turns. */
function withoutExpired(
  row: ScopeRow,
  expiredBytes: ReadonlyMap<number, number>,
): ScopeRow {
  const bytes = expiredBytes.values().reduce((sum, each) => sum + each, 0);
  return { ...row, turns: row.turns - expiredBytes.size, turnBytes: row.turnBytes - bytes };
}

function lineOfSummary({ payload }: StoredSummary, { content }: ScopePlan): string {
  return content ? summaryLine(payload) : summaryOutline(utf8Length(payload));
}

function lineOfPin({ key, revision, payload }: StoredPin, { content }: ScopePlan): string {
  return content ? pinLine(payload) : pinOutline(key, revision, utf8Length(payload));
}

const SELECT_EXPIRED_TURNS = `SELECT id, bytes FROM turns WHERE scope = $1 AND expires <= $2`;

/** The bytes of each expired turn, by its row. */
function* readExpiredTurns(
  transaction: ReadTransaction,
  row: ScopeRow,
  atMs: number,
): Operation<ReadonlyMap<number, number>> {
  if (row.nextExpiry === null || row.nextExpiry > atMs) return new Map();
  const rows = yield* transaction.all(SELECT_EXPIRED_TURNS, row.id, atMs);
  return new Map(rows.map(([id, bytes]) => [id as number, bytes as number]));
}

/** A turn's line, with the media that messages refer to and no earlier turn of the scope did. */
export interface TurnLine {
  readonly line: string;
  readonly media: readonly StoredMedia[];
}

/** A page of turns' lines, and the row after which the next begins; null after the last. */
interface TurnLines {
  readonly lines: readonly TurnLine[];
  readonly after: number | null;
}

/** Reads the page of turns after a row; null if the viewed part of the scope has changed. */
export function* readTurnLines(
  transaction: ReadTransaction,
  { row: viewed, expiredTurns, lastTurn }: ScopeView,
  plan: ScopePlan,
  after: number,
): Operation<TurnLines | null> {
  const now = yield* readScope(transaction, plan.scopeHash);
  if (now === null || !isOnlyAppendedTo(viewed, now)) return null;
  const rows = yield* transaction.all(SELECT_TURNS_AFTER, viewed.id, after, EXPORT_ROWS_PER_PAGE);
  const found: [line: string, head: TurnHead, payload: string | null][] = [];
  for (const row of rows) {
    if (expiredTurns.has(row[0] as number) || row[0] as number > lastTurn) continue;
    const line = plan.damage.read(() => lineOfTurn(viewed, row, plan));
    if (line !== undefined) found.push(line);
  }
  const media = yield* together(
    found.map(([, head, payload]) => mediaOf(transaction, viewed, head, payload)),
  );
  const lines = found.map(([line], index) => ({ line, media: media[index]! }));
  const last = rows.at(-1)?.[0] as number | undefined;
  const isDone = rows.length < EXPORT_ROWS_PER_PAGE || last! >= lastTurn;
  return { lines, after: isDone ? null : last! };
}

/** A scope as it was at one moment. */
export interface ReadScope {
  readonly view: ScopeView;
  /** All its turns; null if they are too large to buffer. */
  readonly turns: readonly TurnLine[] | null;
}

function lineOfTurn(
  scope: ScopeRow,
  row: Row,
  { content }: ScopePlan,
): [line: string, head: TurnHead, payload: string | null] {
  const head = toTurnHead(scope, row);
  if (!content) return [turnOutline(head), head, null];
  const payload = requirePayload(scope, head, toTurnFields(row).payload);
  return [turnLine(head, payload), head, payload];
}

/** What a turn refers to; a payload that names no media has none, and without payloads there is no content. */
function* mediaOf(
  transaction: ReadTransaction,
  scope: ScopeRow,
  { id, turnId }: TurnHead,
  payload: string | null,
): Operation<readonly StoredMedia[]> {
  if (payload === null || !payload.includes(`"media_type"`)) return [];
  const rows = yield* transaction.all(SELECT_REFS_OF_TURN, id);
  return rows.map(toMediaRef).map(({ hash, bytes }) => ({ row: scope, hash, bytes, turnId }));
}

/** Reads a scope in one transaction, with all its turns if they have at most `bytesMax` bytes. */
export function* readAtOnce(
  transaction: ReadTransaction,
  plan: ScopePlan,
  bytesMax: number,
): Operation<ReadScope | null> {
  const view = yield* readView(transaction, plan);
  if (view === null) return null;
  if (view.row.turnBytes > bytesMax) return { view, turns: null };
  const turns: TurnLine[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page: TurnLines | null = yield* readTurnLines(transaction, view, plan, after);
    // No other writer is visible within one transaction.
    if (page === null) throw new TypeError("A scope changed within a transaction");
    turns.push(...page.lines);
    after = page.after;
  }
  return { view, turns };
}

const SELECT_LAST_SCOPE = `SELECT coalesce(max(id), 0) FROM scopes`;

/** The row of the newest scope: scopes created later are not part of a running export. */
export function* readLastScope(transaction: ReadTransaction): Operation<number> {
  return (yield* transaction.get(SELECT_LAST_SCOPE))![0] as number;
}

const SELECT_SCOPE_HASHES =
  `SELECT id, scope_hash FROM scopes WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3`;

/** The rows and hashes of scopes after one of them, in order of creation. */
export function* readScopeHashes(
  transaction: ReadTransaction,
  after: number,
  last: number,
): Operation<readonly (readonly [id: number, scopeHash: Uint8Array])[]> {
  const rows = yield* transaction.all(SELECT_SCOPE_HASHES, after, last, EXPORT_ROWS_PER_PAGE);
  return rows.map(([id, scopeHash]) => [id as number, scopeHash as Uint8Array] as const);
}
