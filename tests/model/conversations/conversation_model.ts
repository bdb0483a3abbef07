/** Several scopes as plain data, with the ledger's events: which error wins, and what each call changes. */

import {
  add,
  type ModelCounts,
  type ModelEvent,
  type ModelTurn,
  noCounts,
  type Outcome,
  ScopeModel,
} from "./scope_model.ts";

/** A put of a turn. */
export interface TurnCall {
  readonly scope: string;
  readonly turnId: string;
  readonly messageIds: readonly string[];
  readonly content: string;
  /** Which of the shapes of messages it has. */
  readonly shape: number;
  /** Null for the next one. */
  readonly revision: number | null;
  readonly timestamp: string;
  /** Absent keeps, null clears. */
  readonly expires?: number | null;
  /** Null for append, which takes whatever there is and makes the scope. */
  readonly expected: number | null;
  readonly operationId: string | null;
}

/** A put of a pin. */
export interface PinCall {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
  readonly revision: number;
  readonly effective: number;
  readonly expires: number | null;
  /** The turn, and which revision of it. */
  readonly cites: { readonly turnId: string; readonly revision: number } | null;
  readonly expected: number;
}

/** A deletion. */
export interface DeleteCall {
  readonly scope: string;
  readonly kind: "scope" | "turn" | "pin";
  readonly key: string;
  readonly expected: number;
  readonly operationId: string | null;
}

/** A snapshot as the model knows it. */
export interface Token {
  readonly scope: string;
  readonly identity: string;
}

/** Turns that one scope of the model may have. */
export const TURNS_MAX = 6;

/** See the module's documentation. */
export class ConversationModel {
  nowMs: number;
  readonly scopes = new Map<string, ScopeModel>();
  readonly events: (ModelEvent & { readonly scope: string })[] = [];

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  create(name: string): Outcome {
    const scope = this.scopes.get(name);
    if (scope !== undefined) return { value: scope.revision };
    if (this.#burning(name, "scope", "") !== null) return { refused: "DELETED" };
    this.scopes.set(name, new ScopeModel());
    return { value: 0 };
  }

  putTurn(call: TurnCall): Outcome {
    const known = this.scopes.get(call.scope);
    if (known === undefined && (call.expected !== null || this.#absence(call.scope).refused === "DELETED")) {
      return this.#absence(call.scope);
    }
    const scope = known ?? new ScopeModel();
    const input = JSON.stringify([
      "turn",
      call.turnId,
      call.content,
      call.shape,
      call.revision ?? 1,
      call.expires ?? "keep",
    ]);
    const recalled = recall(scope, call.operationId, input);
    if (recalled !== null) return recalled;
    this.#upkeep(call.scope, scope);
    if (call.expected !== null && call.expected !== scope.revision) return conflict(scope.revision);
    const old = scope.turns.find((turn) => turn.turnId === call.turnId);
    const refused = this.#refuseTurn(call, scope, old);
    if (refused !== null) return refused;
    this.scopes.set(call.scope, scope);
    this.#writeTurn(call, scope, old);
    if (call.operationId !== null) scope.operations.set(call.operationId, { input, result: scope.revision });
    return { value: scope.revision };
  }

  /** An append that leaves out messages that are there, or were deleted. */
  sendAgain(call: TurnCall): Outcome {
    const scope = this.scopes.get(call.scope) ?? new ScopeModel();
    this.#upkeep(call.scope, scope);
    const taken = scope.turns.flatMap((turn) => turn.messageIds);
    const isNew = (id: string): boolean => !taken.includes(id) && !scope.deletedMessages.has(id);
    const messageIds = call.messageIds.filter(isNew);
    const skipped = call.messageIds.filter((id) => !isNew(id));
    if (messageIds.length === 0) return { value: { revision: scope.revision, turnId: null, skipped } };
    const put = this.putTurn({ ...call, messageIds });
    return "refused" in put ? put : { value: { revision: put.value, turnId: call.turnId, skipped } };
  }

  #refuseTurn(call: TurnCall, scope: ScopeModel, old: ModelTurn | undefined): Outcome | null {
    if (old === undefined && this.#burning(call.scope, "turn", call.turnId) !== null) {
      return { refused: "DELETED" };
    }
    const before = old?.revision ?? this.#floor(call.scope, "turn", call.turnId);
    if (call.revision !== null && call.revision !== before + 1) return conflict(before);
    if (typeof call.expires === "number" && call.expires <= this.nowMs) return { refused: "CONTRACT" };
    if (old === undefined && scope.turns.length >= TURNS_MAX) return { refused: "CAPACITY" };
    const taken = scope.turns.filter((turn) => turn !== old).flatMap((turn) => turn.messageIds);
    if (call.messageIds.some((id) => taken.includes(id))) return { refused: "CONTRACT" };
    return call.messageIds.some((id) => scope.deletedMessages.has(id)) ? { refused: "DELETED" } : null;
  }

  #writeTurn(call: TurnCall, scope: ScopeModel, old: ModelTurn | undefined): void {
    const { turnId, messageIds, content, shape, timestamp } = call;
    const revision = (old?.revision ?? this.#floor(call.scope, "turn", turnId)) + 1;
    const expires = call.expires === undefined ? old?.expires ?? null : call.expires;
    const turn = { turnId, messageIds, revision, content, shape, timestamp, expires };
    if (old === undefined) {
      scope.turns.push(turn);
      scope.changed(noCounts());
    } else {
      scope.turns[scope.turns.indexOf(old)] = turn;
      scope.changedTurn(turnId, noCounts());
    }
    scope.noteExpiry(expires);
  }

  putPin(call: PinCall): Outcome {
    const scope = this.scopes.get(call.scope);
    if (scope === undefined) return this.#absence(call.scope);
    this.#upkeep(call.scope, scope);
    if (call.expected !== scope.revision) return conflict(scope.revision);
    const old = scope.pins.get(call.key);
    if (old === undefined && this.#burning(call.scope, "pin", call.key) !== null) {
      return { refused: "DELETED" };
    }
    const before = old?.revision ?? this.#floor(call.scope, "pin", call.key);
    if (call.revision !== before + 1) return conflict(before);
    if (call.expires !== null && call.expires <= this.nowMs) return { refused: "CONTRACT" };
    if (call.cites !== null) {
      const turn = scope.turns.find(({ turnId }) => turnId === call.cites!.turnId);
      if (turn === undefined) return { refused: "MISSING" };
      if (turn.revision !== call.cites.revision) return { refused: "CONTRACT" };
    }
    const { revision, value, effective, expires } = call;
    scope.pins.set(call.key, { revision, value, effective, expires, cites: call.cites?.turnId ?? null });
    scope.noteExpiry(expires);
    scope.changed(noCounts());
    return { value: scope.revision };
  }

  putSummary(token: Token, content: string, { covers, expires }: {
    readonly covers: readonly { readonly turnId: string; readonly revision: number }[];
    readonly expires: number | null;
  }): Outcome {
    const scope = this.scopes.get(token.scope);
    if (scope === undefined) return this.#absence(token.scope);
    this.#upkeep(token.scope, scope);
    if (scope.identity(this.nowMs) !== token.identity) return conflict(scope.revision, "SNAPSHOT");
    const current = covers.every(({ turnId, revision }) => {
      return scope.turns.some((turn) => turn.turnId === turnId && turn.revision === revision);
    });
    if (!current) return { refused: "SNAPSHOT" };
    scope.summary = { content, covers: covers.map(({ turnId }) => turnId), expires };
    scope.noteExpiry(expires);
    scope.changed(noCounts());
    return { value: scope.revision };
  }

  /** A read that runs upkeep first. */
  snapshot(name: string): Outcome {
    const scope = this.scopes.get(name);
    if (scope === undefined) return this.#absence(name);
    this.#upkeep(name, scope);
    return { value: scope.revision };
  }

  assertCurrent(token: Token): Outcome {
    const scope = this.scopes.get(token.scope);
    if (scope === undefined) return this.#absence(token.scope);
    this.#upkeep(token.scope, scope);
    return scope.identity(this.nowMs) === token.identity
      ? { value: scope.revision }
      : conflict(scope.revision, "SNAPSHOT");
  }

  cachePut(token: Token, key: string, { payload, ttl }: {
    readonly payload: number;
    readonly ttl: number;
  }): Outcome {
    const current = this.assertCurrent(token);
    if ("refused" in current) return current;
    const scope = this.scopes.get(token.scope)!;
    const expires = this.nowMs + ttl * 1_000;
    scope.replays.set(key, { payload, expires, identity: token.identity });
    scope.noteExpiry(expires);
    return { value: undefined };
  }

  /** The one read of a snapshot that runs no upkeep. */
  cacheGet(token: Token, key: string): Outcome {
    const scope = this.scopes.get(token.scope);
    if (scope === undefined) return this.#absence(token.scope);
    if (scope.showsDue(this.nowMs) || scope.identity(this.nowMs) !== token.identity) {
      return conflict(scope.revision, "SNAPSHOT");
    }
    const replay = scope.replays.get(key);
    const seen = replay !== undefined && replay.expires > this.nowMs && replay.identity === token.identity;
    return { value: seen ? { payload: replay.payload } : null };
  }

  delete(call: DeleteCall): Outcome {
    const { kind, key, operationId } = call;
    const scope = this.scopes.get(call.scope);
    const input = JSON.stringify(["delete", kind, key]);
    const recalled = scope === undefined ? null : recall(scope, operationId, input);
    if (recalled !== null && "refused" in recalled) return recalled;
    const burning = this.#burning(call.scope, kind, key);
    if (burning !== null) {
      return {
        value: { sequence: burning.sequence, already: recalled === null, counts: burning.event.counts },
      };
    }
    if (scope === undefined) return this.#absence(call.scope);
    this.#upkeep(call.scope, scope);
    if (call.expected !== scope.revision) return conflict(scope.revision);
    const counts = noCounts();
    const floor = this.#erase(call, scope, counts);
    if (operationId !== null && kind !== "scope") scope.operations.set(operationId, { input, result: 1 });
    this.#record(call.scope, { kind, key, reserved: true, floor, counts });
    return { value: { sequence: this.events.length, already: false, counts } };
  }

  #erase({ scope: name, kind, key }: DeleteCall, scope: ScopeModel, counts: ModelCounts): number {
    if (kind === "scope") {
      const { turns, pins, replays, operations } = scope;
      add(counts, {
        ...noCounts(),
        turns: turns.length,
        pins: pins.size,
        replay: replays.size,
        operations: operations.size,
      });
      scope.eraseSummary(counts);
      this.scopes.delete(name);
      return scope.revision;
    }
    const there = kind === "turn" ? scope.turns.find(({ turnId }) => turnId === key) : scope.pins.get(key);
    if (there === undefined) scope.changed(counts);
    else if (kind === "turn") {
      for (const id of (there as ModelTurn).messageIds) if (id !== `${key}:0`) scope.deletedMessages.add(id);
      scope.eraseTurn(key, counts);
    } else scope.erasePin(key, counts);
    return there?.revision ?? 0;
  }

  /** Upkeep of all scopes, those due longest first. */
  prune(): ModelCounts {
    const counts = noCounts();
    const due = [...this.scopes].filter(([, { nextExpiry }]) =>
      nextExpiry !== null && nextExpiry <= this.nowMs
    );
    for (const [name, scope] of due.sort(([, a], [, b]) => a.nextExpiry! - b.nextExpiry!)) {
      this.#upkeep(name, scope, counts);
    }
    return counts;
  }

  #upkeep(name: string, scope: ScopeModel, counts: ModelCounts = noCounts()): void {
    for (const event of scope.upkeep(this.nowMs, counts)) this.#record(name, event);
  }

  #record(scope: string, event: ModelEvent): void {
    this.events.push({ ...event, scope });
  }

  #absence(name: string): Outcome & { readonly refused: string } {
    return { refused: this.#burning(name, "scope", "") === null ? "MISSING" : "DELETED" };
  }

  #burning(
    scope: string,
    kind: ModelEvent["kind"],
    key: string,
  ): { readonly sequence: number; readonly event: ModelEvent } | null {
    const index = this.events.findIndex((event) => {
      return event.reserved && event.scope === scope && event.kind === kind && event.key === key;
    });
    return index < 0 ? null : { sequence: index + 1, event: this.events[index]! };
  }

  #floor(scope: string, kind: "turn" | "pin", key: string): number {
    const floors = this.events.filter((event) =>
      event.scope === scope && event.kind === kind && event.key === key
    )
      .map(({ floor }) => floor);
    const own = kind === "pin" ? this.scopes.get(scope)?.floors.get(key) ?? 0 : 0;
    return Math.max(0, own, ...floors);
  }
}

function conflict(currentRevision: number, refused = "REVISION"): Outcome {
  return { refused, currentRevision };
}

function recall(scope: ScopeModel, operationId: string | null, input: string): Outcome | null {
  const known = operationId === null ? undefined : scope.operations.get(operationId);
  if (known === undefined) return null;
  return known.input === input ? { value: known.result } : { refused: "IDEMPOTENCY" };
}
