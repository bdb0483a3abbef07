/** Draws the next step: mixed calls that meet, with conflicts, expired rows and repeated operation ids among them. */

import type { ForgetCall, PutCall, RecordModel } from "./record_model.ts";
import type { Seeded } from "./seeded.ts";
import { IDENTITIES, type Identity, nameOf, TENANTS, valueFor } from "./vocabulary.ts";

/** One step, as data. */
export type Step =
  | { readonly op: "put"; readonly call: PutCall }
  | { readonly op: "forget"; readonly call: ForgetCall }
  | { readonly op: "purge"; readonly tenantId: string; readonly now?: number }
  | {
    readonly op: "update";
    readonly identity: Identity;
    readonly value: unknown;
    /** Undefined for that of the record. */
    readonly ttl?: number | null;
    readonly attempts: number;
    /** Puts that other callers make while the change is computed; each spoils one attempt. */
    readonly rivals: readonly unknown[];
  }
  | {
    readonly op: "list";
    readonly tenantId: string;
    readonly kind?: string;
    readonly limit: number;
    readonly now?: number;
  }
  | { readonly op: "get"; readonly identity: Identity; readonly now: number }
  | { readonly op: "misuse"; readonly which: number; readonly identity: Identity }
  | { readonly op: "together"; readonly calls: readonly (PutCall | ForgetCall)[] }
  | { readonly op: "clock"; readonly toMs: number }
  | { readonly op: "reopen"; readonly acceptClock: boolean };

/** What a run may do. */
export interface Abilities {
  /** Whether the clock may step back; if not it only moves forward. */
  readonly clockStepsBack: boolean;
  /** Whether the store may be closed and opened again. */
  readonly reopens: boolean;
}

const OPERATION_IDS = ["op-1", "op-2", "op-3", "\u00f6p \u{1f33e}"];
const DAY_MS = 86_400_000;
const REPEATED_WITHIN_STEPS = 40;

/** Which misuse is tried, by number. */
export const MISUSES = 8;

/** What a step is drawn from. */
export interface Drawing {
  readonly seeded: Seeded;
  readonly model: RecordModel;
  readonly abilities: Abilities;
  /** The steps so far. */
  readonly played: readonly Step[];
}

/** Draws one step; the same seed and the same abilities draw the same steps. */
export function drawStep({ seeded, model, abilities, played }: Drawing): Step {
  const mark = played.length + 1;
  const choices: (readonly [number, () => Step])[] = [
    [30, () => ({ op: "put", call: drawPut(seeded, model, mark) })],
    [14, () => ({ op: "forget", call: drawForget(seeded, model) })],
    [6, () => drawAgain(seeded, played) ?? { op: "put", call: drawPut(seeded, model, mark) }],
    [4, () => ({ op: "purge", tenantId: seeded.pick(TENANTS), ...drawNow(seeded, model) })],
    [9, () => drawUpdate(seeded, model, mark)],
    [5, () => drawList(seeded, model)],
    [5, () => ({ op: "get", identity: seeded.pick(IDENTITIES), now: drawSeconds(seeded, model) })],
    [2, () => ({ op: "misuse", which: seeded.integer(0, MISUSES - 1), identity: seeded.pick(IDENTITIES) })],
    [8, () => drawTogether(seeded, model, mark)],
    [14, () => ({ op: "clock", toMs: drawClock(seeded, model, abilities) })],
  ];
  if (abilities.reopens) {
    choices.push([1.5, () => ({ op: "reopen", acceptClock: seeded.chance(0.5) })]);
  }
  return seeded.weighted(choices)();
}

function drawPut(seeded: Seeded, model: RecordModel, mark: number): PutCall {
  const identity = drawIdentity(seeded, model);
  return {
    identity,
    value: valueFor(identity.kind, seeded.chance(0.2) ? 7 : mark),
    expectedRevision: drawExpected(seeded, model, identity),
    ttl: drawTtl(seeded, identity.kind),
    ...(seeded.chance(0.2) ? { maxAge: seeded.integer(1, 90) } : {}),
    ...drawNow(seeded, model),
    ...(seeded.chance(0.25) ? { operationId: seeded.pick(OPERATION_IDS) } : {}),
  };
}

function drawForget(seeded: Seeded, model: RecordModel): ForgetCall {
  const identity = drawIdentity(seeded, model);
  return {
    identity,
    expectedRevision: drawExpected(seeded, model, identity),
    revoke: seeded.chance(0.06),
    ...(seeded.chance(0.25) ? { operationId: seeded.pick(OPERATION_IDS) } : {}),
  };
}

/** A call with an operation id that was made not long ago, as a caller repeats it who did not hear the answer. */
function drawAgain(seeded: Seeded, played: readonly Step[]): Step | null {
  const repeatable = played.slice(-REPEATED_WITHIN_STEPS).filter((step) =>
    (step.op === "put" || step.op === "forget") && step.call.operationId !== undefined
  );
  return repeatable.length === 0 ? null : seeded.pick(repeatable);
}

function drawUpdate(seeded: Seeded, model: RecordModel, mark: number): Step {
  const identity = drawIdentity(seeded, model);
  const rivals = Array.from(
    { length: seeded.pick([0, 0, 0, 1, 2]) },
    (_, index) => valueFor(identity.kind, mark + 1_000_000 * (index + 1)),
  );
  const value = seeded.chance(0.1) ? null : valueFor(identity.kind, mark);
  const ttl = drawTtl(seeded, identity.kind);
  const lasting = identity.kind === "counter" && mark % 3 === 0 ? {} : { ttl };
  return { op: "update", identity, value, ...lasting, attempts: seeded.integer(1, 3), rivals };
}

function drawList(seeded: Seeded, model: RecordModel): Step {
  return {
    op: "list",
    tenantId: seeded.pick(TENANTS),
    ...(seeded.chance(0.4) ? { kind: seeded.pick(IDENTITIES).kind } : {}),
    limit: seeded.pick([0, 1, 2, 3, 100]),
    ...drawNow(seeded, model),
  };
}

/** Several calls at once, some of which fail: one write group, or a few. */
function drawTogether(seeded: Seeded, model: RecordModel, mark: number): Step {
  const calls = Array.from(
    { length: seeded.integer(2, 6) },
    (_, index) =>
      seeded.chance(0.7) ? drawPut(seeded, model, mark + 1_000 * (index + 1)) : drawForget(seeded, model),
  );
  return { op: "together", calls };
}

/** Rows that are there are called more often, so that something happens to them. */
function drawIdentity(seeded: Seeded, model: RecordModel): Identity {
  const there = [...model.rows.values()];
  return there.length > 0 && seeded.chance(0.6) ? seeded.pick(there).identity : seeded.pick(IDENTITIES);
}

function drawExpected(seeded: Seeded, model: RecordModel, identity: Identity): number | null {
  const current = model.rows.get(nameOf(identity))?.revision ?? null;
  return seeded.weighted<number | null>([
    [8, current],
    [1, null],
    [1, Math.max(1, model.counter)],
    [1, Math.max(1, (current ?? 1) - 1)],
  ]);
}

function drawTtl(seeded: Seeded, kind: string): number | null {
  if (kind === "counter" && seeded.chance(0.5)) return null;
  return seeded.weighted([[6, seeded.integer(1, 30)], [1, seeded.integer(31, 60)], [1, 1]]);
}

function drawNow(seeded: Seeded, model: RecordModel): { readonly now?: number } {
  return seeded.chance(0.35) ? { now: drawSeconds(seeded, model) } : {};
}

/** About now, or exactly at, or just before, somebody's deadline. */
function drawSeconds(seeded: Seeded, model: RecordModel): number {
  const deadlines = [...model.rows.values()].flatMap(({ expires }) => expires === null ? [] : [expires]);
  if (deadlines.length > 0 && seeded.chance(0.5)) return seeded.pick(deadlines) - seeded.integer(0, 1);
  return Math.max(0, Math.floor(model.clockMs / 1000) + seeded.integer(-40, 40));
}

function drawClock(seeded: Seeded, model: RecordModel, { clockStepsBack }: Abilities): number {
  if (clockStepsBack && seeded.chance(0.15)) {
    return Math.max(0, model.clockMs - seeded.pick([1, 900, 30_000, 60_000, 60_001, 300_000]));
  }
  if (seeded.chance(0.02)) return model.clockMs + DAY_MS - seeded.integer(0, 1);
  return model.clockMs + seeded.pick([1, 400, 1_000, 3_000, 9_000, 25_000]);
}
