/** Compares a store with the model: every physical row, without letting the store clean up first; and snapshots. */

import assert from "node:assert/strict";
import type { Row, Snapshot, SqliteConnection } from "@holdfast/memory";
import type { ConversationModel } from "./conversation_model.ts";
import { byKey, type ScopeModel } from "./scope_model.ts";

/** Compares all rows; throws an `AssertionError` at the first difference. */
export function compareAll(main: SqliteConnection, model: ConversationModel): void {
  assert.equal(main.isTransaction, false, "a transaction stayed open after a call");
  const rows = (sql: string): readonly Row[] => main.prepare(sql).all([]);
  const scopes = [...model.scopes].sort(([a], [b]) => a < b ? -1 : 1);
  const expected = <T>(of: (name: string, scope: ScopeModel) => readonly T[]): T[] =>
    scopes.flatMap(([name, scope]) => of(name, scope));
  assert.deepEqual(
    rows("SELECT session, revision, turns, pins, operations, next_expiry FROM scopes ORDER BY session"),
    expected((name, { revision, turns, pins, operations, nextExpiry }) => [
      [name, revision, turns.length, pins.size, operations.size, nextExpiry],
    ]),
    "scopes",
  );
  assert.deepEqual(
    rows(`SELECT session, turn_id, turns.revision, expires FROM turns JOIN scopes ON scopes.id = scope
      ORDER BY session, turns.id`),
    expected((name, { turns }) =>
      turns.map(({ turnId, revision, expires }) => [name, turnId, revision, expires])
    ),
    "turns",
  );
  assert.deepEqual(
    rows(`SELECT session, turn_id, message_id FROM message_ids JOIN turns ON turns.id = turn
      JOIN scopes ON scopes.id = turns.scope ORDER BY session, turns.id, message_id`),
    expected((name, { turns }) =>
      turns.flatMap(({ turnId, messageIds }) => messageIds.toSorted().map((id) => [name, turnId, id]))
    ),
    "message ids",
  );
  compareDerived(rows, expected);
  compareEvents(rows, model);
}

function compareDerived(
  rows: (sql: string) => readonly Row[],
  expected: <T>(of: (name: string, scope: ScopeModel) => readonly T[]) => T[],
): void {
  assert.deepEqual(
    rows(`SELECT session, key, pins.revision, effective, pins.expires, turn_id FROM pins
      JOIN scopes ON scopes.id = pins.scope LEFT JOIN turns ON turns.id = source_turn ORDER BY session, key`),
    expected((name, { pins }) =>
      [...pins].sort(byKey).map((
        [key, pin],
      ) => [name, key, pin.revision, pin.effective, pin.expires, pin.cites])
    ),
    "pins",
  );
  assert.deepEqual(
    rows("SELECT session, expires FROM summaries JOIN scopes ON scopes.id = scope ORDER BY session"),
    expected((name, { summary }) => summary === null ? [] : [[name, summary.expires]]),
    "summaries",
  );
  assert.deepEqual(
    rows(`SELECT session, turn_id FROM covered_turns JOIN turns ON turns.id = turn
      JOIN scopes ON scopes.id = turns.scope ORDER BY session, turns.id`),
    expected((name, { summary }) => (summary?.covers ?? []).map((turnId) => [name, turnId])),
    "covered turns",
  );
  assert.deepEqual(
    rows("SELECT session, key, expires FROM replays JOIN scopes ON scopes.id = scope ORDER BY session, key"),
    expected((name, { replays }) =>
      [...replays].sort(byKey).map(([key, { expires }]) => [name, key, expires])
    ),
    "replays",
  );
  assert.deepEqual(
    rows(`SELECT session, floor FROM floors JOIN scopes ON scopes.scope_hash = floors.scope_hash
      ORDER BY session, floor`),
    expected((name, { floors, deletedMessages }) =>
      [...floors.values(), ...[...deletedMessages].map(() => 1)].sort((a, b) => a - b).map((floor) => [
        name,
        floor,
      ])
    ),
    "floors",
  );
}

function compareEvents(rows: (sql: string) => readonly Row[], model: ConversationModel): void {
  const events = rows("SELECT kind, reserved, floor, counts FROM deletions ORDER BY sequence");
  assert.deepEqual(
    events.map(([kind, reserved, floor, text]) => {
      const { turns, pins, summaries, replay, operations } = JSON.parse(text as string);
      const counts = { turns, pins, summaries, replay, operations };
      return [kind, reserved === 1, floor, counts];
    }),
    model.events.map(({ kind, reserved, floor, counts }) => [kind, reserved, floor, counts]),
    "events",
  );
}

/** Compares what a snapshot shows. */
export function compareSnapshot(snapshot: Snapshot, scope: ScopeModel, nowMs: number): void {
  const { revision, turnCount, pins, summary } = snapshot;
  assert.deepEqual(
    {
      revision,
      turnCount,
      pins: pins.map(({ key, value }) => [key, value]),
      summary: summary?.content ?? null,
    },
    {
      revision: scope.revision,
      turnCount: scope.turns.length,
      pins: scope.activePins(nowMs).map(([key, { value }]) => [key, value]),
      summary: scope.summary?.content ?? null,
    },
    "a snapshot",
  );
}
