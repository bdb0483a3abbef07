/** The plain model: what the records of a store must be, in maps and numbers, without SQL and without files. */

import { type Identity, migrated, nameOf } from "./vocabulary.ts";

const DAY_MS = 86_400_000;
const CLOCK_BEHIND_MS_MAX = 60_000;

/** One row, expired or not. */
export interface ModelRow {
  readonly identity: Identity;
  readonly revision: number;
  readonly created: number;
  readonly maxAge: number | null;
  readonly expires: number | null;
  /** The version of the kind that wrote the value. */
  readonly version: number;
  readonly value: unknown;
}

/** What a call gave, or the reason for which it was refused. */
export type ModelOutcome =
  | { readonly value: unknown }
  | { readonly refused: string; readonly currentRevision?: number | null };

/** One deletion, as the ledger must hold it. */
export interface ModelEvent {
  readonly identity: Identity;
  readonly reserved: boolean;
  readonly floor: number;
  readonly at: number;
  readonly records: number;
}

/** A put, as a caller says it. */
export interface PutCall {
  readonly identity: Identity;
  readonly value: unknown;
  readonly expectedRevision: number | null;
  /** Undefined for none, where the kind requires none. */
  readonly ttl?: number | null;
  readonly maxAge?: number;
  readonly now?: number;
  readonly operationId?: string;
}

/** A forget, as a caller says it. */
export interface ForgetCall {
  readonly identity: Identity;
  readonly expectedRevision: number | null;
  readonly revoke: boolean;
  readonly operationId?: string;
}

interface Remembered {
  readonly input: string;
  readonly result: number;
  readonly at: number;
}

/** The model of one store. Every call changes it as the same call must change the store. */
export class RecordModel {
  readonly rows = new Map<string, ModelRow>();
  readonly reserved = new Set<string>();
  readonly events: ModelEvent[] = [];
  readonly operations = new Map<string, Remembered>();
  counter = 0;
  clockMs: number;
  /** The highest time that the open store has seen. */
  highestMs = 0;
  /** The highest time that the file holds. */
  markMs = 0;
  /** The version of the counter's kind. */
  counterVersion = 1;
  /** How many calls were answered with what an earlier one was. */
  recalled = 0;
  /** Whether any content was replaced or removed. */
  dirty = false;

  constructor(clockMs: number) {
    this.clockMs = clockMs;
  }

  /** Effective time, as every call sees it that asks for the time. */
  time(): { readonly effectiveMs: number; readonly behindMs: number } {
    const behindMs = Math.max(0, this.highestMs - this.clockMs);
    this.highestMs = Math.max(this.highestMs, this.clockMs);
    return { effectiveMs: this.highestMs, behindMs };
  }

  /** Seconds, for calls that only read. */
  nowSeconds(): number {
    return Math.floor(this.time().effectiveMs / 1000);
  }

  /** Whether effective time was asked for and something changed: then the file holds it. */
  #written(): void {
    this.markMs = Math.max(this.markMs, this.time().effectiveMs);
  }

  /** The record that is seen at some time. */
  live(identity: Identity, now: number): ModelRow | null {
    const row = this.rows.get(nameOf(identity));
    return row === undefined || isExpired(row, now) ? null : row;
  }

  /** The live records of a tenant, by kind and key in code point order. */
  listed(tenant: string, now: number): readonly ModelRow[] {
    return [...this.rows.values()].filter((row) => row.identity.tenantId === tenant && !isExpired(row, now))
      .sort((a, b) =>
        compareCodePoints(a.identity.kind, b.identity.kind) ||
        compareCodePoints(a.identity.key, b.identity.key)
      );
  }

  /** A put; one by an update without a lifetime keeps that of the record. */
  put(call: PutCall, keepsLifetime = false): ModelOutcome {
    const { identity, expectedRevision, ttl = null } = call;
    const input = JSON.stringify(["put", identity, call.value, ttl, call.maxAge ?? null]);
    const recalled = this.#recall(identity.tenantId, call.operationId, input);
    if (recalled !== null) return "result" in recalled ? { value: recalled.result } : recalled;
    const time = call.now === undefined ? this.time() : null;
    if (time !== null && time.behindMs > CLOCK_BEHIND_MS_MAX && (ttl !== null || call.maxAge !== undefined)) {
      return { refused: "CLOCK" };
    }
    const now = call.now ?? Math.floor(time!.effectiveMs / 1000);
    const name = nameOf(identity);
    const found = this.rows.get(name) ?? null;
    const erasable = call.now ?? Math.floor((time!.effectiveMs - time!.behindMs) / 1000);
    const isReplaced = found !== null && isOwn(identity) && expectedRevision === null &&
      isExpired(found, erasable);
    const old = isReplaced ? null : found;
    if (old !== null && isExpired(old, now)) return { refused: "EXPIRED", currentRevision: old.revision };
    if (old === null && this.reserved.has(name)) return { refused: "DELETED", currentRevision: null };
    const currentRevision = old?.revision ?? null;
    if (currentRevision !== expectedRevision) return { refused: "REVISION", currentRevision };
    const created = old?.created ?? now;
    const maxAge = lowest(old?.maxAge ?? null, call.maxAge ?? null);
    const expires = lowest(
      keepsLifetime ? old?.expires ?? null : ttl === null ? null : now + ttl,
      maxAge === null ? null : created + maxAge,
    );
    const version = this.versionOf(identity.kind);
    const row = {
      identity,
      revision: this.counter + 1,
      created,
      maxAge,
      expires,
      version,
      value: call.value,
    };
    if (isExpired(row, now)) return { refused: "EXPIRED", currentRevision };
    this.counter++;
    this.rows.set(name, row);
    this.dirty ||= found !== null;
    if (call.now === undefined) this.#written();
    this.#remember(identity.tenantId, call.operationId, input, row.revision);
    return { value: row.revision };
  }

  forget(call: ForgetCall): ModelOutcome {
    const { identity, expectedRevision, revoke } = call;
    const input = JSON.stringify(["forget", identity, revoke]);
    const recalled = this.#recall(identity.tenantId, call.operationId, input);
    if (recalled !== null) return "result" in recalled ? { value: recalled.result === 1 } : recalled;
    const removed = this.#remove(identity, expectedRevision, revoke);
    this.#remember(identity.tenantId, call.operationId, input, removed ? 1 : 0);
    return { value: removed };
  }

  #remove(identity: Identity, expected: number | null, revoke: boolean): boolean {
    const name = nameOf(identity);
    const row = this.rows.get(name);
    if (row !== undefined && row.revision !== expected) return false;
    if (row === undefined && (!revoke || this.reserved.has(name))) return false;
    this.events.push({
      identity,
      reserved: revoke,
      floor: row?.revision ?? 0,
      at: this.time().effectiveMs,
      records: row === undefined ? 0 : 1,
    });
    this.#written();
    this.rows.delete(name);
    if (row !== undefined) this.dirty = true;
    if (revoke) this.reserved.add(name);
    return row !== undefined;
  }

  purge(tenant: string, now: number | undefined): ModelOutcome {
    const time = now === undefined ? this.time() : null;
    const until = now ?? Math.floor((time!.effectiveMs - time!.behindMs) / 1000);
    const due = [...this.rows.values()].filter((row) =>
      row.identity.tenantId === tenant && isExpired(row, until)
    );
    for (const { identity } of due) this.rows.delete(nameOf(identity));
    if (due.length > 0) {
      this.dirty = true;
      if (now === undefined) this.#written();
    }
    return { value: due.length };
  }

  /** The version of a kind. */
  versionOf(kind: string): number {
    return kind === "counter" ? this.counterVersion : 1;
  }

  /** A row's value as it is read: migrated to the version of its kind. */
  valueOf({ identity: { kind }, version, value }: ModelRow): unknown {
    return migrated(kind, value, this.versionOf(kind) - version);
  }

  /** Closing and opening again: what was only remembered in memory is gone. */
  reopen(acceptClock: boolean): void {
    this.highestMs = this.markMs;
    if (!acceptClock || this.time().behindMs === 0) return;
    this.highestMs = this.clockMs;
    this.markMs = this.clockMs;
  }

  /** How many remembered operations are within their day. */
  get operationsKept(): number {
    const oldest = this.highestMs - DAY_MS;
    return [...this.operations.values()].filter(({ at }) => at > oldest).length;
  }

  #recall(tenant: string, id: string | undefined, input: string): Remembered | { refused: string } | null {
    if (id === undefined) return null;
    const found = this.operations.get(JSON.stringify([tenant, id]));
    if (found === undefined || found.at + DAY_MS <= this.time().effectiveMs) return null;
    if (found.input !== input) return { refused: "IDEMPOTENCY" };
    this.recalled++;
    return found;
  }

  #remember(tenant: string, id: string | undefined, input: string, result: number): void {
    if (id === undefined) return;
    const at = this.time().effectiveMs;
    this.operations.set(JSON.stringify([tenant, id]), { input, result, at });
    this.#written();
  }
}

/** Whether a kind is the caller's own. */
function isOwn({ kind }: Identity): boolean {
  return kind !== "checkpoint" && kind !== "fact";
}

function isExpired({ expires }: Pick<ModelRow, "expires">, now: number): boolean {
  return expires !== null && expires <= now;
}

function lowest(left: number | null, right: number | null): number | null {
  return left === null ? right : right === null ? left : Math.min(left, right);
}

/** Orders by code point, as the page promises; UTF-16 order differs above U+FFFF. */
function compareCodePoints(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = a[index]!.codePointAt(0)! - b[index]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
