/**
 * The expected content of a store, from its children's reports: acknowledged effects, refusals, and calls in flight.
 */

import assert from "node:assert/strict";
import { type Call, type Line, NOW } from "./errand.ts";

/** A row as it is read after a kill. */
export interface FoundRow {
  readonly tenantId: string;
  readonly key: string;
  readonly revision: number;
  readonly expires: number;
  readonly text: string;
}

/** What is read after a kill. */
export interface Found {
  readonly rows: readonly FoundRow[];
  readonly counter: number;
  /** How many deletions are recorded, and applied. */
  readonly deletions: number;
}

/** Outcome of the calls that were in flight. */
export interface InFlight {
  readonly applied: number;
  /** How many are missing that would not have been refused. */
  readonly absent: number;
  /** Puts with an operation id, to be repeated. */
  readonly repeatable: readonly { readonly call: Call & { op: "put" }; readonly revision: number | null }[];
}

/** The model of one store, over all its children. */
export class Truth {
  #rows = new Map<string, FoundRow>();
  readonly #reserved = new Set<string>();
  #pending = new Map<number, Call>();
  /** Calls of the running child in call order, and whether they took effect; refused ones are left out. */
  #effects: { readonly number: number; readonly ordered: boolean; effect: boolean | null }[] = [];
  highest = 0;
  deletions = 0;
  /** The number of the next child's first call. */
  nextCall = 0;
  acknowledged = 0;
  refused = 0;

  /** Reads one line of the running child. */
  hear(line: Line): void {
    if (line.type === "intent") this.#intend(line.number, line.call);
    else if (line.type === "ack") this.#acknowledge(line.number, line.result);
    else if (line.type === "refused") this.#refuse(line.number, line.reason);
  }

  #intend(number: number, call: Call): void {
    this.nextCall = number + 1;
    this.#pending.set(number, call);
    // An update reads first, so that its position among the writes is not its position among the calls.
    this.#effects.push({ number, ordered: call.op !== "update", effect: null });
  }

  #take(number: number, effect: boolean | null): Call {
    const call = this.#pending.get(number);
    assert.ok(call !== undefined, `call ${number} was answered twice or never made`);
    this.#pending.delete(number);
    const index = this.#effects.findIndex((each) => each.number === number);
    if (effect === null) this.#effects.splice(index, 1);
    else this.#effects[index]!.effect = effect;
    return call;
  }

  #acknowledge(number: number, result: number | boolean): void {
    const call = this.#take(number, true);
    this.acknowledged++;
    if (call.op === "purge") {
      const expired = this.#expiredBy(call);
      assert.equal(result, expired.length, "a purge returns how many records it removed");
      for (const name of expired) this.#rows.delete(name);
      return;
    }
    const name = nameOf(call);
    const before = this.#rows.get(name);
    if (call.op === "forget") {
      assert.equal(
        result,
        before !== undefined && before.revision === call.expectedRevision,
        "a forget's answer",
      );
      if (result === true) this.#forget(call);
      return;
    }
    assert.ok(
      call.op === "update" || (before?.revision ?? null) === call.expectedRevision,
      "a put that had to be refused",
    );
    assert.ok(!this.#reserved.has(name), "a revoked record was put");
    this.#put(call, result as number);
  }

  #refuse(number: number, reason: string): void {
    const call = this.#take(number, null);
    this.refused++;
    assert.ok(call.op === "put" || call.op === "update", `a ${call.op} was refused`);
    const row = this.#rows.get(nameOf(call));
    const expected = call.op === "update"
      ? row === undefined ? "MISSING" : null
      : this.#reserved.has(nameOf(call))
      ? "DELETED"
      : (row?.revision ?? null) === call.expectedRevision
      ? null
      : "REVISION";
    assert.equal(reason, expected, "the reason of a refusal");
  }

  #put(call: Call & { op: "put" | "update" }, revision: number): void {
    assert.ok(revision > this.highest, `revision ${revision} was handed out before`);
    this.highest = revision;
    const { tenantId, key, text, ttl } = call;
    this.#rows.set(nameOf(call), { tenantId, key, revision, expires: NOW + ttl, text });
  }

  #forget(call: Call & { op: "forget" }): void {
    this.#rows.delete(nameOf(call));
    this.deletions++;
    if (call.revoke) this.#reserved.add(nameOf(call));
  }

  #expiredBy(call: Call & { op: "purge" }): readonly string[] {
    return [...this.#rows].filter(([, row]) => row.tenantId === call.tenantId && row.expires <= call.now)
      .map(([name]) => name);
  }

  /**
   * Compares what is found after a kill. A call in flight is stored entirely or not at all, and none is stored if one
   * before it is not; what is found becomes the expected content.
   */
  settle(found: Found): InFlight {
    const rows = new Map(found.rows.map((row) => [nameOf(row), row]));
    const revision = (call: Call): number => call.op === "purge" ? 0 : rows.get(nameOf(call))?.revision ?? 0;
    const pending = [...this.#pending].sort(([, a], [, b]) => revision(a) - revision(b));
    const effects = pending.map(([number, call]) => this.#settleOne(number, call, rows));
    assert.deepEqual(sorted(found.rows), sorted([...this.#rows.values()]), "the rows after a kill");
    assert.equal(found.counter, this.highest, "the counter after a kill");
    assert.equal(found.deletions, this.deletions, "the recorded deletions after a kill");
    assertPrefix(this.#effects.filter(({ ordered }) => ordered).map(({ effect }) => effect));
    const repeatable = pending.flatMap(([, call], index) => {
      if (call.op !== "put" || call.operationId === undefined || effects[index] === null) return [];
      return [{ call, revision: effects[index] === true ? rows.get(nameOf(call))!.revision : null }];
    });
    this.#effects = [];
    this.#pending = new Map();
    const count = (wanted: boolean): number => effects.filter((effect) => effect === wanted).length;
    return { applied: count(true), absent: count(false), repeatable };
  }

  /** Whether a call in flight took effect; if so it is expected from now on. Null if it had to be refused. */
  #settleOne(number: number, call: Call, rows: ReadonlyMap<string, FoundRow>): boolean | null {
    const effect = this.#effectOf(call, rows);
    this.#take(number, effect);
    if (effect !== true) return effect;
    if (call.op === "purge") { for (const name of this.#expiredBy(call)) this.#rows.delete(name); }
    else if (call.op === "forget") this.#forget(call);
    else this.#put(call, rows.get(nameOf(call))!.revision);
    return true;
  }

  /** Null for a call that would have changed nothing anyway. */
  #effectOf(call: Call, rows: ReadonlyMap<string, FoundRow>): boolean | null {
    if (call.op === "purge") {
      const expired = this.#expiredBy(call);
      return expired.length === 0 ? null : expired.every((name) => !rows.has(name));
    }
    const name = nameOf(call);
    const before = this.#rows.get(name);
    if (call.op === "forget") {
      return before === undefined || before.revision !== call.expectedRevision ? null : !rows.has(name);
    }
    const refused = call.op === "update"
      ? before === undefined
      : this.#reserved.has(name) || (before?.revision ?? null) !== call.expectedRevision;
    return refused ? null : rows.get(name)?.text === call.text;
  }

  /** Reads a put that was repeated after a kill, with its operation id. */
  repeated(call: Call & { op: "put" }, before: number | null, revision: number): void {
    if (before !== null) assert.equal(revision, before, "a repeated put returns its first answer");
    else this.#put(call, revision);
  }
}

function nameOf({ tenantId, key }: { readonly tenantId: string; readonly key: string }): string {
  return `${tenantId}/${key}`;
}

function sorted(rows: readonly FoundRow[]): readonly FoundRow[] {
  return [...rows].sort((a, b) => a.revision - b.revision);
}

/** Writes of one process run in call order: the stored ones are a prefix of the calls. */
function assertPrefix(effects: readonly (boolean | null)[]): void {
  const end = effects.indexOf(false);
  assert.ok(
    end < 0 || !effects.slice(end).includes(true),
    "a write is there, and one called before it is not",
  );
}
