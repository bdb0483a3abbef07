/** Plays seeded histories on a store and on a plain model; every answer must be the model's. */

import assert from "node:assert/strict";
import type { Conversation, Memory, Receipt, Watermark } from "@holdfast/memory";
import { readTurns, sourceOf, summaryOf } from "../../conversations/samples.ts";
import { MutableClock } from "../../../src/testing/kit/mutable_clock.ts";
import { Seeded } from "../../model/records/seeded.ts";
import { History } from "./history.ts";
import { Marks, textOf } from "./marks.ts";
import { changeJournal } from "./journal_steps.ts";
import { forgetRecord, putRecord } from "./record_steps.ts";
import { nameOf } from "./state.ts";
import { REVISIONS_PER_GENERATION } from "../../../src/limits.ts";

/** What the steps of a history share. */
export interface Scene {
  memory: Memory;
  readonly history: History;
  readonly clock: MutableClock;
  readonly seeded: Seeded;
  readonly marks: Marks;
  readonly tenants: readonly string[];
  /** Every scope ever used. */
  readonly scopes: { readonly tenantId: string; readonly sessionId: string }[];
  readonly receipts: Receipt[];
  readonly watermarks: Watermark[];
  operations: number;
}

const START_MS = 1_800_000_000_000;

/** Nothing has happened yet. */
export function sceneOf(seed: number): Omit<Scene, "memory"> {
  const marks = new Marks();
  const tenants = [marks.make(), marks.make()];
  return {
    history: new History(),
    clock: new MutableClock(START_MS / 1_000),
    seeded: new Seeded(seed),
    marks,
    tenants,
    scopes: Array.from({ length: 4 }, (_, index) => ({
      tenantId: tenants[index % 2]!,
      sessionId: marks.make(),
    })),
    receipts: [],
    watermarks: [],
    operations: 0,
  };
}

/** One step of a history that is neither backup nor restore. */
export async function step(scene: Scene): Promise<void> {
  const { seeded, memory, history, clock, tenants } = scene;
  await seeded.weighted<() => Promise<unknown>>([
    [8, () => inScope(scene, putTurn)],
    [4, () => inScope(scene, putPin)],
    [1, () => inScope(scene, putSummary)],
    [4, () => inScope(scene, deleteItem)],
    [0.4, () => inScope(scene, deleteScope)],
    [5, () => inScope(scene, changeJournal)],
    [1, () => inScope(scene, search)],
    [5, () => putRecord(scene)],
    [3, () => forgetRecord(scene)],
    [3, () => Promise.resolve(clock.advance(seeded.integer(60, 900)))],
    [0.5, async () => {
      const tenant = seeded.pick(tenants);
      assert.equal(await memory.records.purge(tenant), history.purge(tenant, clock.ms));
    }],
    [0.5, () => prune(scene)],
  ])();
}

async function prune({ memory, history, clock, tenants, scopes, seeded }: Scene): Promise<void> {
  const report = await memory.prune({ scrub: seeded.chance(0.3) });
  for (const scope of scopes) history.upkeep(nameOf(scope), clock.ms);
  const purged = tenants.reduce((sum, tenant) => sum + history.purge(tenant, clock.ms), 0);
  assert.equal(report.expired.records, purged);
}

/** A scope, in which what had expired is erased. */
export interface InHand {
  readonly scene: Scene;
  readonly name: string;
  readonly talk: Conversation;
  readonly revision: number;
}

type ScopeStep = (hand: InHand) => Promise<unknown>;

async function inScope(scene: Scene, run: ScopeStep): Promise<void> {
  const { seeded, scopes, history, memory, clock, marks, tenants } = scene;
  if (seeded.chance(0.05)) scopes.push({ tenantId: seeded.pick(tenants), sessionId: marks.make() });
  const scope = seeded.pick(scopes);
  const name = nameOf(scope);
  const talk = memory.conversation(scope);
  if (history.tombstone("scope", name, name).reserved) {
    await assert.rejects(talk.create(), { reason: "DELETED" });
    return;
  }
  assert(await talk.create() >= history.generation * REVISIONS_PER_GENERATION, "a range of its own");
  if (!history.main.scopes.has(name)) {
    history.write("scope", name, name, [scope.sessionId]);
    history.main.scopes.set(name, {
      ...scope,
      turns: new Map(),
      pins: new Map(),
      journals: new Map(),
      summary: null,
      floors: new Map(),
    });
  }
  history.upkeep(name, clock.ms);
  const revision = history.see(await talk.revision());
  await run({ scene, name, talk, revision });
  history.see(await talk.revision());
}

/** Ids of turns, keys of pins or parts of journals that a scope ever had, this timeline or another. */
function known(history: History, kind: "turn" | "pin" | "journal", name: string): string[] {
  return history.identifiersOf(name).filter((identifier) => identifier.startsWith(`${kind} `))
    .map((identifier) => identifier.split(" ")[2]!);
}

export function nameFor({ scene, name }: InHand, kind: "turn" | "pin" | "journal"): string {
  const { seeded, history, marks } = scene;
  const names = known(history, kind, name);
  return names.length > 0 && seeded.chance(0.55) ? seeded.pick(names) : marks.make();
}

/** What is refused, and whether anything is: the identifier is reserved, or its revision at or below a floor. */
async function isRefused(
  { scene, name }: InHand,
  what: { readonly kind: "turn" | "pin"; readonly key: string; readonly before: number | undefined },
  put: (revision: number) => Promise<number>,
): Promise<number | null> {
  const { reserved, floor } = scene.history.tombstone(what.kind, name, what.key);
  if (what.before === undefined && reserved) {
    await assert.rejects(put(floor + 1), { reason: "DELETED" });
    return null;
  }
  const before = what.before ?? floor;
  if (before > 0 && scene.seeded.chance(0.3)) {
    await assert.rejects(put(scene.seeded.integer(1, before)), {
      reason: "REVISION",
      currentRevision: before,
    });
  }
  return before + 1;
}

async function putTurn(hand: InHand): Promise<void> {
  const { scene, name, talk, revision: expectedRevision } = hand;
  const { seeded, marks, clock, history } = scene;
  const turnId = nameFor(hand, "turn");
  const { turns } = history.scope(name);
  const old = turns.get(turnId);
  const [messageId, content] = [marks.make(), textOf(marks.make(), seeded.integer(1, 80))];
  const due = clock.ms + seeded.integer(1, 40) * 60_000;
  const expires = seeded.weighted<number | null | undefined>([[2, due], [1, null], [4, undefined]]);
  const messages = [{ messageId, role: "user" as const, content }];
  const put = (revision: number): Promise<number> =>
    talk.putTurn({ turnId, scope: talk.scope, revision, messages }, {
      operationId: `operation ${scene.operations++}`,
      expectedRevision,
      expiresAt: typeof expires === "number" ? new Date(expires) : expires,
    });
  const revision = await isRefused(hand, { kind: "turn", key: turnId, before: old?.revision }, put);
  if (revision === null) return;
  await put(revision);
  history.write("turn", name, turnId, [messageId, content.slice(0, 11)]);
  const deadline = expires === undefined ? old?.expires ?? null : expires;
  turns.set(turnId, { turnId, revision, messageId, content, expires: deadline });
  if (old !== undefined) history.main.changeTurn(name, turnId);
}

async function putPin(hand: InHand): Promise<void> {
  const { scene, name, talk, revision: expectedRevision } = hand;
  const { seeded, marks, clock, history } = scene;
  const key = nameFor(hand, "pin");
  const { pins, turns } = history.scope(name);
  const old = pins.get(key);
  const value = textOf(marks.make(), seeded.integer(1, 20));
  const expires = seeded.chance(0.3) ? clock.ms + seeded.integer(1, 40) * 60_000 : null;
  const cited = turns.size > 0 && seeded.chance(0.5) ? seeded.pick([...turns.values()]) : null;
  const { scope } = talk;
  const source = cited === null ? undefined : sourceOf(
    {
      scope,
      turnId: cited.turnId,
      revision: cited.revision,
      messages: [{ messageId: cited.messageId, role: "user", content: cited.content }],
    } as unknown as Parameters<typeof sourceOf>[0],
  );
  const expiresAt = expires === null ? null : new Date(expires);
  const pin = { scope, key, value, origin: "play", expiresAt, ...(source === undefined ? {} : { source }) };
  const put = (revision: number): Promise<number> => talk.putPin({ ...pin, revision }, { expectedRevision });
  const revision = await isRefused(hand, { kind: "pin", key, before: old?.revision }, put);
  if (revision === null) return;
  await put(revision);
  const mark = value.slice(0, 11);
  history.write("pin", name, key, [mark]);
  if (cited !== null) history.write("turn", name, cited.turnId, [mark]);
  pins.set(key, { key, revision, value, cites: cited?.turnId ?? null, expires });
}

async function putSummary({ scene, name, talk }: InHand): Promise<void> {
  const { seeded, marks, history } = scene;
  const scope = history.scope(name);
  if (scope.turns.size === 0) return;
  const turns = await readTurns(talk, undefined, { last: seeded.integer(1, scope.turns.size) });
  const content = textOf(marks.make(), seeded.integer(1, 10));
  const createdAt = new Date(scene.clock.ms).toISOString();
  await talk.putSummary(await talk.snapshot(), summaryOf(turns, content, { createdAt }));
  scope.summary = { content, covers: turns.map(({ turnId }) => turnId) };
  for (const { turnId } of turns) history.write("turn", name, turnId, [content.slice(0, 11)]);
}

async function deleteItem(hand: InHand): Promise<void> {
  const { scene, name, talk, revision: expectedRevision } = hand;
  const { seeded, history } = scene;
  const kind = seeded.weighted<"turn" | "pin">([[2, "turn"], [1, "pin"]]);
  const key = nameFor(hand, kind);
  const live = (kind === "turn" ? history.scope(name).turns : history.scope(name).pins).get(key);
  const { reserved } = history.tombstone(kind, name, key);
  const receipt = await talk.delete({ kind, key, expectedRevision });
  assert.equal(receipt.already, reserved);
  if (reserved) return;
  history.write(kind, name, key, []);
  history.record({ kind, scope: name, key, reserved: true, floor: live?.revision ?? 0 });
  assert.equal(receipt.sequence, history.events.length);
  scene.receipts.push(receipt);
}

async function deleteScope({ scene, name, talk, revision: expectedRevision }: InHand): Promise<void> {
  const { history } = scene;
  scene.receipts.push(await talk.delete({ kind: "scope", expectedRevision }));
  history.record({ kind: "scope", scope: name, key: name, reserved: true, floor: 0 });
  scene.scopes.push({ tenantId: talk.scope.tenantId, sessionId: scene.marks.make() });
  throw new ScopeIsGone();
}

/** Ends a step early: the scope can no longer be used. */
export class ScopeIsGone extends Error {}

async function search({ scene, name, talk }: InHand): Promise<void> {
  const { turns } = scene.history.scope(name);
  if (turns.size === 0) return;
  const { content, turnId } = scene.seeded.pick([...turns.values()]);
  const hits = await talk.search(content.slice(0, 11));
  assert(hits.some(({ source }) => source.turnId === turnId), "a live turn is found");
}
