/** What callers hand in, validated and encoded into plans that an operation can run; nothing is touched before. */

import { pinDigest, summaryDigest } from "../contracts/digest.ts";
import { encodePin, encodeSummary } from "../contracts/payload.ts";
import { copyPlain, type Json, PlainFailure } from "../canonical/plain.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { canonicalJson, type CanonicalValue } from "../canonical/canonical_json.ts";
import { expiryMs, type Instant, instantFromMs, instantOf } from "../canonical/time.ts";
import { utf8Length } from "../canonical/utf8.ts";
import { readFields, requireInteger, requireText } from "../contracts/arguments.ts";
import {
  type Ending,
  LIFETIME_NAMES,
  lifetimeField,
  lifetimeText,
  readLifetime,
  readOnlyLifetime,
} from "../contracts/options/lifetime.ts";
import { effective, hasOpenRevision, lasting, type Pin, type TimedPin, toPin } from "../contracts/pin.ts";
import type { DeleteTarget } from "../contracts/options/receipt.ts";
import { sameScope, type Scope } from "../contracts/scope.ts";
import { lastingSummary, type Summary, toSummary } from "../contracts/summary.ts";
import { hasPassed } from "../engine/effective_time.ts";
import type { GroupTime } from "../engine/operation.ts";
import { ContractError } from "../errors.ts";
import {
  PIN_BYTES_MAX,
  REPLAY_BYTES_MAX,
  REPLAY_TTL_SECONDS_DEFAULT,
  REPLAY_TTL_SECONDS_MAX,
  SUMMARY_BYTES_MAX,
  TURN_BYTES_MAX,
} from "../limits.ts";
import type { DeletePlan } from "./delete_item.ts";
import { operationKey, type Place } from "../scopes/place.ts";
import type { PutPinPlan, WrittenPin } from "./put_pin.ts";
import type { PutSummaryPlan, WrittenSummary } from "./put_summary.ts";
import type { Deadline, ScopeLimits } from "./put_turn.ts";
import type { ReplayPlan } from "./replay.ts";
import { requireSnapshot } from "../contracts/snapshot.ts";

/** Keys of cached responses: long enough for any, short enough for an index. */
const KEY_CODE_POINTS_MAX = 100_000;

/** Ids of turns and keys of pins: whatever could be put can be named, and a payload bounds it. */
const ITEM_KEY_CODE_POINTS_MAX = TURN_BYTES_MAX;

/** Where and when a call is made. */
export interface Context {
  readonly place: Place;
  readonly epoch: string;
  readonly limits: ScopeLimits;
  readonly time: GroupTime;
}

/** The store's time, as ISO text. */
export function nowOf({ time }: Context): string {
  return instantFromMs(time.effectiveMs).text;
}

/** The plan of `putPin`. */
export function planPutPin(context: Context, value: unknown, options: unknown): PutPinPlan {
  const { expectedRevision, operationId, ...rest } = readFields("options", options, [
    "expectedRevision",
    "operationId",
    ...LIFETIME_NAMES,
    "signal",
  ]);
  const revision = requireRevision(expectedRevision);
  const given = toPin(value);
  const { place } = context;
  requireScope("pin.scope", given.scope, place.scope);
  const lifetime = readOnlyLifetime(rest, given.expiresAt, "pin.expiresAt");
  const expiry = endOf(context, lifetime ?? null);
  requireNotBehind(context, given, expiry);
  const started = effective(given, nowOf(context));
  const pin = expiry === null ? started : lasting(started, expiry.text, expiry.option);
  return {
    place,
    ...writtenPin(pin),
    ...(expiry === null ? {} : { expiry }),
    revised: hasOpenRevision(given)
      ? (revision) => ({ ...writtenPin({ ...pin, revision }), ...(expiry === null ? {} : { expiry }) })
      : null,
    source: pin.source ?? null,
    expectedRevision: revision,
    operation: operationId === undefined
      ? null
      : operationKey(place, operationId, "putPin", withLifetime(pinDigest(given), lifetime)),
  };
}

/** An open start becomes the store's time, which may lie after a deadline that the clock has not reached. */
function requireNotBehind({ time }: Context, { effectiveAt, expiresAt }: Pin, expiry: Deadline | null): void {
  if (effectiveAt !== undefined) return;
  const field = expiry?.option ?? "pin.expiresAt";
  const ends = expiry?.expiryMs ?? (expiresAt === undefined ? null : expiryMs(instantOf(expiresAt)));
  if (ends !== null) hasPassed(time, ends, { action: "put pin", field });
}

/** A digest of what is put, and of the lifetime that was given as an option. */
function withLifetime(digest: string, lifetime: Ending | null | undefined): string {
  return lifetime === undefined ? digest : sha256Hex(JSON.stringify([digest, lifetimeText(lifetime)]));
}

/** What is written of a pin. */
export function writtenPin(pin: TimedPin): WrittenPin {
  const { key, revision, effectiveAt, expiresAt } = pin;
  const payload = encodePin(pin);
  requireBytes("pin", payload, PIN_BYTES_MAX);
  return {
    key,
    revision,
    payload,
    effectiveMs: expiryMs(instantOf(effectiveAt)),
    expiry: expiresAt === undefined ? null : deadlineOf(instantOf(expiresAt)),
  };
}

/** The plan of `putSummary`. */
export function planPutSummary(
  context: Context,
  snapshot: unknown,
  value: unknown,
  options: unknown,
): PutSummaryPlan {
  const { place, epoch } = context;
  const given = toSummary(value);
  requireScope("summary.scope", given.scope, place.scope);
  const { operationId, ...rest } = readFields("options", options, [
    "operationId",
    ...LIFETIME_NAMES,
    "signal",
  ]);
  const lifetime = readOnlyLifetime(rest, given.expiresAt, "summary.expiresAt");
  const expiry = endOf(context, lifetime ?? null);
  const summary = expiry === null ? given : lastingSummary(given, expiry.text, expiry.option);
  const written = writtenSummary(summary);
  return {
    place,
    epoch,
    snapshot: requireSnapshot(snapshot, place.scope),
    summary,
    ...written,
    expiry,
    operation: operationId === undefined
      ? null
      : operationKey(place, operationId, "putSummary", withLifetime(summaryDigest(given), lifetime)),
  };
}

/** What is written of a summary. */
export function writtenSummary(summary: Summary): WrittenSummary {
  const { createdAt, expiresAt } = summary;
  const payload = encodeSummary(summary);
  requireBytes("summary", payload, SUMMARY_BYTES_MAX);
  return {
    payload,
    createdMs: expiryMs(instantOf(createdAt)),
    expiresMs: expiresAt === undefined ? null : expiryMs(instantOf(expiresAt)),
  };
}

/** The plan of `delete`. */
export function planDelete({ place }: Context, target: unknown, operationId: unknown): DeletePlan {
  const given = readFields("target", target, ["kind", "key", "expectedRevision"]);
  const kind = given.kind as DeleteTarget["kind"];
  if (kind !== "scope" && kind !== "turn" && kind !== "pin") {
    throw new ContractError("kind", "Expected kind to be scope, turn or pin");
  }
  if (kind === "scope" && given.key !== undefined && given.key !== "") {
    throw new ContractError("key", "Expected no key where a whole scope is deleted");
  }
  const key = kind === "scope" ? "" : requireText("key", given.key, ITEM_KEY_CODE_POINTS_MAX);
  const input = sha256Hex(JSON.stringify([kind, key]));
  return {
    place,
    kind,
    key,
    expectedRevision: requireRevision(given.expectedRevision),
    operation: operationId === undefined ? null : operationKey(place, operationId, "delete", input),
  };
}

/** The plan of `cachePut`. */
export function planReplay(
  { place, epoch }: Context,
  snapshot: unknown,
  key: unknown,
  value: unknown,
  options: unknown,
): ReplayPlan {
  const name = requireReplayKey(key);
  const given = readFields("options", options, [...LIFETIME_NAMES, "signal"]);
  const lifetime = readLifetime(given, { ttlMax: REPLAY_TTL_SECONDS_MAX, orNever: false }) ??
    { ttl: REPLAY_TTL_SECONDS_DEFAULT };
  const plain = toJson("payload", value);
  if (typeof plain !== "object" || plain === null || Array.isArray(plain)) {
    throw new ContractError("payload", "payload must be an object");
  }
  const payload = canonicalJson(plain as CanonicalValue, "payload");
  requireBytes("payload", payload, REPLAY_BYTES_MAX);
  return { place, epoch, snapshot: requireSnapshot(snapshot, place.scope), key: name, payload, lifetime };
}

/** The key of a cached response. */
export function requireReplayKey(key: unknown): string {
  const name = requireText("key", key, KEY_CODE_POINTS_MAX);
  if (!name.includes("\0")) return name;
  throw new ContractError("key", "key must not hold U+0000");
}

function toJson(field: string, value: unknown): Json {
  try {
    return copyPlain(value);
  } catch (error) {
    if (error instanceof PlainFailure) throw new ContractError(field, `${field} ${error.rule}`);
    throw error;
  }
}

/** When a lifetime that was given as an option ends; a `ttl` counts from the call. */
export function endOf({ time }: Context, lifetime: Ending | null): Required<Deadline> | null {
  if (lifetime === null) return null;
  const at = "at" in lifetime ? lifetime.at : instantFromMs(time.effectiveMs + lifetime.ttl * 1_000, "ttl");
  return { ...deadlineOf(at), option: lifetimeField(lifetime) };
}

/** An instant as a deadline. */
export function deadlineOf(instant: Instant): Deadline {
  return { expiryMs: expiryMs(instant), text: instant.text };
}

/** Requires the revision that a scope is expected to have. */
export function requireRevision(value: unknown): number {
  return requireInteger("expectedRevision", value, 0, Number.MAX_SAFE_INTEGER);
}

/** Requires that a value is of the conversation's own scope. */
export function requireScope(field: string, given: Scope, own: Scope): void {
  if (!sameScope(given, own)) throw new ContractError(field, `${field} must be this conversation's scope`);
}

/** Requires that a payload is not too large; returns its UTF-8 bytes. */
export function requireBytes(field: string, payload: string, bytesMax: number): number {
  const bytes = utf8Length(payload);
  if (bytes <= bytesMax) return bytes;
  throw new ContractError(field, `${field} must be at most ${bytesMax} bytes as stored`, {
    details: { maximum: bytesMax, bytes },
  });
}
