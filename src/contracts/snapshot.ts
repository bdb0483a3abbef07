/** A snapshot: what a scope is at one moment. */

import { Discreet, type Outline } from "./discreet.ts";
import type { TimedPin } from "./pin.ts";
import type { Scope } from "./scope.ts";
import type { Summary } from "./summary.ts";
import { ConflictError, ContractError } from "../errors.ts";

/** What a scope is at one moment. Printed, it shows ids and counts. */
export interface Snapshot {
  /** Whose. */
  readonly scope: Scope;
  /** Moves with every change of the scope. */
  readonly revision: number;
  /** Opaque; equal ids mean that nothing that counts has changed. */
  readonly id: string;
  /** How many turns there are. */
  readonly turnCount: number;
  /** The active pins, by key in code point order. */
  readonly pins: readonly TimedPin[];
  /** The summary, while it counts. */
  readonly summary: Summary | null;
  /** When: the store's time, as ISO text. */
  readonly at: string;
  /** No later than the first time at which something of the scope expires, as ISO text; null if nothing ever does. */
  readonly nextExpiryAt: string | null;
}

class SnapshotValue extends Discreet implements Snapshot {
  readonly scope: Scope;
  readonly revision: number;
  readonly id: string;
  readonly turnCount: number;
  readonly pins: readonly TimedPin[];
  readonly summary: Summary | null;
  readonly at: string;
  readonly nextExpiryAt: string | null;
  readonly #taken = true;

  constructor(fields: Snapshot) {
    super();
    this.scope = fields.scope;
    this.revision = fields.revision;
    this.id = fields.id;
    this.turnCount = fields.turnCount;
    this.pins = Object.freeze(fields.pins);
    this.summary = fields.summary;
    this.at = fields.at;
    this.nextExpiryAt = fields.nextExpiryAt;
    Object.freeze(this);
  }

  static is(value: unknown): value is SnapshotValue {
    return typeof value === "object" && value !== null && #taken in value;
  }

  protected override noun(): string {
    return "Snapshot";
  }

  protected override outline(): Outline {
    const { scope, revision, id, turnCount, pins, summary, at, nextExpiryAt } = this;
    return {
      scope: { ...scope },
      revision,
      id,
      turnCount,
      pins: pins.length,
      summary: summary !== null,
      at,
      nextExpiryAt,
    };
  }
}

/** Requires a snapshot that a store gave, of this scope. */
export function requireSnapshot(value: unknown, scope: Scope): Snapshot {
  if (!SnapshotValue.is(value)) {
    throw new ContractError("snapshot", "Expected snapshot to come from this store");
  }
  if (value.scope.tenantId !== scope.tenantId || value.scope.sessionId !== scope.sessionId) {
    throw new ContractError("snapshot", "Expected snapshot to be of this conversation's scope");
  }
  return value;
}

/** Makes a snapshot of what was read. */
export function makeSnapshot(fields: Snapshot): Snapshot {
  return new SnapshotValue(fields);
}

/** Requires that a snapshot is the one that there is now. */
export function requireSame(now: Pick<Snapshot, "id" | "revision">, snapshot: Snapshot): void {
  if (now.id === snapshot.id) return;
  throw new ConflictError("SNAPSHOT", "The snapshot is stale; take a fresh one", {
    currentRevision: now.revision,
  });
}
