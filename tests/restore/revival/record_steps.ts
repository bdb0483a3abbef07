/** Steps with records of every kind: puts, forgets, and identities that are revoked. */

import assert from "node:assert/strict";
import type { RecordIdentity } from "@holdfast/memory";
import { textOf } from "./marks.ts";
import type { Scene } from "./play.ts";
import { recordNameOf } from "./state.ts";

/** A kind's value, from a text. */
const VALUES: Readonly<Record<string, (text: string) => object>> = {
  fact: (text) => ({ schema: 1, text, source: "play", reviewed: false }),
  checkpoint: (text) => ({ schema: 1, step: 1, items: [text.slice(0, 11)] }),
  note: (text) => ({ note: text }),
};

/** The mark that a value bears. */
export function markIn(value: unknown): string {
  return /zqx\d{8}/.exec(JSON.stringify(value))![0];
}

/** Every record identity that was ever used. */
export function knownRecords({ history }: Pick<Scene, "history">): RecordIdentity[] {
  const names = [...history.written.keys()].filter((identifier) => identifier.startsWith("record "));
  return names.map((identifier) => {
    const [, tenant, rest] = identifier.split(" ");
    const [kind, key] = rest!.split("/");
    return { tenantId: tenant!, kind: kind!, key: key! };
  });
}

function pick(scene: Scene): RecordIdentity {
  const { seeded, marks, tenants } = scene;
  const known = knownRecords(scene);
  if (known.length > 0 && seeded.chance(0.7)) return seeded.pick(known);
  return { tenantId: seeded.pick(tenants), kind: seeded.pick(Object.keys(VALUES)), key: marks.make() };
}

/** Puts a record, or is refused because its identity was revoked or it has expired. */
export async function putRecord(scene: Scene): Promise<void> {
  const { memory, history, seeded, marks, clock } = scene;
  const identity = pick(scene);
  const { tenantId, kind, key } = identity;
  const seconds = Math.floor(clock.ms / 1_000);
  const ttl = kind === "note" ? null : seeded.chance(0.4) ? seeded.integer(60, 2_400) : 86_400;
  const old = history.main.records.get(recordNameOf(identity));
  const content = marks.make();
  const value = VALUES[kind]!(textOf(content, kind === "fact" ? 8 : seeded.integer(1, 400)));
  const put = memory.records.put(identity, value as never, { expectedRevision: old?.revision ?? null, ttl });
  if (old === undefined && history.tombstone("record", tenantId, `${kind}/${key}`).reserved) {
    await assert.rejects(put, { reason: "DELETED" });
    return;
  }
  if (old !== undefined && old.expires !== null && old.expires <= seconds) {
    await assert.rejects(put, { reason: "EXPIRED" });
    return;
  }
  const revision = await put;
  assert(revision > history.highestRecord, "no revision is issued twice");
  history.highestRecord = history.see(revision);
  history.write("record", tenantId, `${kind}/${key}`, [content]);
  const expires = ttl === null ? null : seconds + ttl;
  history.main.records.set(recordNameOf(identity), { ...identity, revision, content, expires });
}

/** Forgets a record, perhaps for good, perhaps one that does not exist. */
export async function forgetRecord(scene: Scene): Promise<void> {
  const { memory, history, seeded } = scene;
  const identity = pick(scene);
  const { tenantId, kind } = identity;
  const key = `${kind}/${identity.key}`;
  const old = history.main.records.get(recordNameOf(identity));
  const revoke = seeded.chance(0.3);
  const { reserved } = history.tombstone("record", tenantId, key);
  const isStale = old !== undefined && seeded.chance(0.1);
  const removed = await memory.records.forget(identity, isStale ? old.revision + 1 : old?.revision ?? null, {
    revoke,
  });
  assert.equal(removed, old !== undefined && !isStale);
  if (!removed && (isStale || !revoke || reserved)) return;
  history.write("record", tenantId, key, []);
  history.record({ kind: "record", scope: tenantId, key, reserved: revoke, floor: old?.revision ?? 0 });
}
