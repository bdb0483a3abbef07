/** Draws the next step of a run, mostly a sensible one, from what the model holds. */

import type { Seeded } from "../records/seeded.ts";
import type { ConversationModel, DeleteCall, PinCall, TurnCall } from "./conversation_model.ts";
import type { ScopeModel } from "./scope_model.ts";
import { SHAPES } from "./shapes.ts";

/** One step, as data. A snapshot is named by its place among those that were taken. */
export type Step =
  | { readonly op: "clock"; readonly byMs: number }
  | { readonly op: "reopen" }
  | { readonly op: "create"; readonly scope: string }
  | { readonly op: "putTurn" | "append" | "sendAgain"; readonly call: TurnCall }
  | { readonly op: "putPin"; readonly call: PinCall }
  | { readonly op: "delete"; readonly call: DeleteCall }
  | { readonly op: "snapshot" | "turns"; readonly scope: string }
  | { readonly op: "assertCurrent"; readonly taken: number }
  | {
    readonly op: "putSummary";
    readonly taken: number;
    readonly covers: readonly string[];
    readonly lifeMs: number | null;
  }
  | { readonly op: "cachePut"; readonly taken: number; readonly key: string; readonly ttl: number }
  | { readonly op: "cacheGet"; readonly taken: number; readonly key: string }
  | { readonly op: "prune"; readonly scrub: boolean };

const TURN_IDS = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"];
const PIN_KEYS = ["a", "b", "\u{ffff}", "\u{10000}"];
const SECONDS = [1, 5, 20, 60];

/** Draws a step; `number` makes names and texts of this step its own, `taken` is how many snapshots there are. */
export function drawStep(seeded: Seeded, model: ConversationModel, number: number, taken: number): Step {
  const scope = `scope ${seeded.integer(1, 3 + Math.floor(number / 150))}`;
  const held = model.scopes.get(scope) ?? null;
  const snapshot = Math.max(0, taken - 1 - (seeded.chance(0.7) ? 0 : seeded.integer(0, 5)));
  const key = seeded.pick(["x", "y"]);
  const steps: (readonly [number, Step])[] = [
    [3, { op: "clock", byMs: seeded.integer(1, 25_000) }],
    [1, { op: "reopen" }],
    [held === null ? 6 : 1, { op: "create", scope }],
    [14, { op: "putTurn", call: drawTurn(seeded, model, scope, number) }],
    [3, { op: "append", call: drawAppend(seeded, model, scope, number) }],
    [4, { op: "sendAgain", call: drawSent(seeded, scope, number) }],
    [8, { op: "putPin", call: drawPin(seeded, model, scope, number) }],
    [7, { op: "delete", call: drawDelete(seeded, held, scope, number) }],
    [6, { op: "snapshot", scope }],
    [3, { op: "turns", scope }],
    [1, { op: "prune", scrub: seeded.chance(0.4) }],
  ];
  if (taken > 0) {
    steps.push(
      [2, { op: "assertCurrent", taken: snapshot }],
      [4, {
        op: "putSummary",
        taken: snapshot,
        covers: seeded.shuffled(TURN_IDS).slice(0, 3),
        lifeMs: seeded.chance(0.4) ? seeded.pick(SECONDS) * 1_000 : null,
      }],
      [5, { op: "cachePut", taken: snapshot, key, ttl: seeded.pick(SECONDS) }],
      [5, { op: "cacheGet", taken: snapshot, key }],
    );
  }
  return seeded.weighted(steps);
}

function drawDeadline(seeded: Seeded, { nowMs }: ConversationModel): number | null {
  return seeded.chance(0.4) ? nowMs + seeded.pick(SECONDS) * 1_000 : null;
}

/** Mostly the revision that there is. */
function drawExpected(seeded: Seeded, held: ScopeModel | null): number {
  return (held?.revision ?? 0) + (seeded.chance(0.93) ? 0 : seeded.pick([-1, 1]) + 1);
}

/** Mostly a new one. */
function drawOperation(seeded: Seeded, held: ScopeModel | null, fresh: string): string {
  const used = [...held?.operations.keys() ?? []];
  return used.length > 0 && seeded.chance(0.1) ? seeded.pick(used) : fresh;
}

function drawTurn(seeded: Seeded, model: ConversationModel, scope: string, number: number): TurnCall {
  const held = model.scopes.get(scope) ?? null;
  const turnId = seeded.pick(TURN_IDS);
  const old = held?.turns.find((turn) => turn.turnId === turnId);
  const seen = model.events.findLast((event) =>
    event.scope === scope && event.kind === "turn" && event.key === turnId
  );
  const before = old?.revision ?? seen?.floor ?? 0;
  const expiry = seeded.weighted<{ readonly expires?: number | null }>([
    [5, {}],
    [1, { expires: null }],
    [5, { expires: model.nowMs + seeded.pick(SECONDS) * 1_000 }],
    [0.8, { expires: model.nowMs }],
  ]);
  const messageId = seeded.chance(0.92) ? `${turnId} message` : `${seeded.pick(TURN_IDS)} message`;
  return {
    scope,
    turnId,
    messageIds: [messageId],
    content: `content ${number} ☃`,
    shape: seeded.integer(0, SHAPES - 1),
    revision: seeded.chance(0.2) ? null : before + (seeded.chance(0.95) ? 1 : 2),
    timestamp: new Date(model.nowMs).toISOString(),
    ...expiry,
    expected: drawExpected(seeded, held),
    operationId: drawOperation(seeded, held, `put ${number}`),
  };
}

function drawAppend(seeded: Seeded, model: ConversationModel, scope: string, number: number): TurnCall {
  const expires = drawDeadline(seeded, model);
  return {
    scope,
    turnId: `append ${number}`,
    messageIds: [`append ${number} message`],
    content: `content ${number}`,
    shape: seeded.integer(0, SHAPES - 1),
    revision: 1,
    timestamp: "",
    expires,
    expected: null,
    operationId: null,
  };
}

/** What a client sends again: some that it sent before, and perhaps a new one. */
function drawSent(seeded: Seeded, scope: string, number: number): TurnCall {
  const known = seeded.shuffled(TURN_IDS).slice(0, seeded.integer(1, 3)).map((turnId) => `${turnId} message`);
  return {
    scope,
    turnId: `sent ${number}`,
    messageIds: [...known, ...seeded.chance(0.5) ? [`sent ${number} message`] : []],
    content: `content ${number}`,
    shape: seeded.integer(0, SHAPES - 1),
    revision: 1,
    timestamp: "",
    expires: null,
    expected: null,
    operationId: null,
  };
}

function drawPin(seeded: Seeded, model: ConversationModel, scope: string, number: number): PinCall {
  const held = model.scopes.get(scope) ?? null;
  const key = seeded.pick(PIN_KEYS);
  const seen = model.events.findLast((event) =>
    event.scope === scope && event.kind === "pin" && event.key === key
  );
  const before = held?.pins.get(key)?.revision ?? Math.max(seen?.floor ?? 0, held?.floors.get(key) ?? 0);
  const turn = held !== null && held.turns.length > 0 && seeded.chance(0.6) ? seeded.pick(held.turns) : null;
  const effective = model.nowMs + (seeded.chance(0.8) ? 0 : seeded.pick(SECONDS) * 500);
  return {
    scope,
    key,
    value: `value ${number}`,
    revision: before + (seeded.chance(0.95) ? 1 : 2),
    effective,
    expires: seeded.chance(0.4) ? effective + seeded.pick(SECONDS) * 1_000 : null,
    cites: turn === null
      ? null
      : { turnId: turn.turnId, revision: seeded.chance(0.95) ? turn.revision : turn.revision + 1 },
    expected: drawExpected(seeded, held),
  };
}

function drawDelete(seeded: Seeded, held: ScopeModel | null, scope: string, number: number): DeleteCall {
  const kind = seeded.weighted<DeleteCall["kind"]>([[12, "turn"], [6, "pin"], [1, "scope"]]);
  const key = kind === "scope" ? "" : seeded.pick(kind === "turn" ? TURN_IDS : PIN_KEYS);
  return {
    scope,
    kind,
    key,
    expected: drawExpected(seeded, held),
    operationId: seeded.chance(0.7) ? null : drawOperation(seeded, held, `delete ${number}`),
  };
}
