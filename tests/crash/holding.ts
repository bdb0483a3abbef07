/** The expected content of a store after calls, deletions, restores and imports. */

import type { Memory } from "@holdfast/memory";
import type { LineageCall } from "./lineage.ts";
import { TENANT } from "./talk.ts";

interface Saying {
  readonly mark: string;
  readonly expiresAtMs: number | null;
}

/** Turns in order by id, and pins. */
interface HeldScope {
  readonly turns: Map<string, Saying>;
  readonly pins: Map<string, Saying>;
}

/** A deletion that is permanent, or the forgetting of a record; as text, to be looked up. */
export type Deletion = `${"record" | "scope" | "turn" | "pin"} ${string}`;

/** The visible content at a time, in a fixed order. */
export interface Outline {
  readonly scopes: readonly (readonly [
    name: string,
    turns: readonly (readonly [id: string, mark: string])[],
    pins: readonly string[],
  ])[];
  readonly records: readonly (readonly [key: string, mark: string])[];
}

/** What was deleted in a store, in order. */
export function deletionOf(call: LineageCall): Deletion | null {
  switch (call.op) {
    case "forget":
      return `record ${call.key}`;
    case "deleteScope":
      return `scope ${call.scope}`;
    case "deleteTurn":
      return `turn ${call.scope} ${call.id}`;
    case "deletePin":
      return `pin ${call.scope} ${call.mark}`;
    default:
      return null;
  }
}

/** See the module's documentation. */
export class Holding {
  readonly #scopes = new Map<string, HeldScope>();
  readonly #records = new Map<string, string>();

  clone(): Holding {
    const clone = new Holding();
    for (const [name, { turns, pins }] of this.#scopes) {
      clone.#scopes.set(name, { turns: new Map(turns), pins: new Map(pins) });
    }
    for (const [key, mark] of this.#records) clone.#records.set(key, mark);
    return clone;
  }

  /** The content after a call. */
  apply(call: LineageCall): void {
    const deletion = deletionOf(call);
    if (deletion !== null) this.erase(deletion);
    else if (call.op === "create") this.#scopes.set(call.scope, { turns: new Map(), pins: new Map() });
    else if (call.op === "turn") this.#scopes.get(call.scope)!.turns.set(call.id, call);
    else if (call.op === "revise") {
      const { turns } = this.#scopes.get(call.scope)!;
      turns.set(call.id, { ...turns.get(call.id)!, mark: call.mark });
    } else if (call.op === "pin") this.#scopes.get(call.scope)!.pins.set(call.mark, call);
    else if (call.op === "put") this.#records.set(call.key, call.mark);
  }

  /** The effect of an event of the ledger, in any store. */
  erase(deletion: Deletion): void {
    const [kind, name, item] = deletion.split(" ") as [string, string, string];
    if (kind === "record") this.#records.delete(name);
    else if (kind === "scope") this.#scopes.delete(name);
    else if (kind === "turn") this.#scopes.get(name)?.turns.delete(item);
    else this.#scopes.get(name)?.pins.delete(item);
  }

  /** The effect of an import: adds what is missing and was not deleted here. */
  take(lines: Holding, isDeleted: (deletion: Deletion) => boolean): void {
    for (const [key, mark] of lines.#records) {
      if (!this.#records.has(key) && !isDeleted(`record ${key}`)) this.#records.set(key, mark);
    }
    for (const [name, { turns, pins }] of lines.#scopes) {
      if (isDeleted(`scope ${name}`)) continue;
      const own = this.#scopes.get(name) ?? { turns: new Map(), pins: new Map() };
      this.#scopes.set(name, own);
      for (const [id, turn] of turns) {
        if (!own.turns.has(id) && !isDeleted(`turn ${name} ${id}`)) own.turns.set(id, turn);
      }
      for (const [key, pin] of pins) {
        if (!own.pins.has(key) && !isDeleted(`pin ${name} ${key}`)) own.pins.set(key, pin);
      }
    }
  }

  /** The visible content at a time. */
  outline(nowMs: number): Outline {
    const isSeen = ({ expiresAtMs }: Saying): boolean => expiresAtMs === null || expiresAtMs > nowMs;
    return {
      scopes: [...this.#scopes].map(([name, { turns, pins }]) =>
        [
          name,
          [...turns].filter(([, turn]) => isSeen(turn)).map(([id, { mark }]) => [id, mark] as const),
          [...pins].filter(([, pin]) => isSeen(pin)).map(([key]) => key).sort(),
        ] as const
      ).sort(byName),
      records: [...this.#records].sort(byName),
    };
  }

  /** Every mark that may be in its files. */
  marks(): ReadonlySet<string> {
    const marks = new Set<string>(this.#records.values());
    for (const [name, { turns, pins }] of this.#scopes) {
      marks.add(name);
      for (const [id, { mark }] of turns) marks.add(id).add(mark);
      for (const key of pins.keys()) marks.add(key);
    }
    for (const key of this.#records.keys()) marks.add(key);
    return marks;
  }
}

function byName([left]: readonly [string, ...unknown[]], [right]: readonly [string, ...unknown[]]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether an outline includes all of one and nothing beyond another. */
export function liesBetween(found: Outline, least: Outline, most: Outline): boolean {
  const [some, all, whole] = [namesOf(found), namesOf(least), namesOf(most)];
  return all.isSubsetOf(some) && some.isSubsetOf(whole);
}

function namesOf({ scopes, records }: Outline): Set<string> {
  return new Set([
    ...records.map(([key, mark]) => `record ${key} ${mark}`),
    ...scopes.flatMap(([name, turns, pins]) => [
      `scope ${name}`,
      ...turns.map(([id, mark]) => `turn ${name} ${id} ${mark}`),
      ...pins.map((key) => `pin ${name} ${key}`),
    ]),
  ]);
}

/** The visible content of a store. */
export async function outlineOf(memory: Memory): Promise<Outline> {
  const scopes: Outline["scopes"][number][] = [];
  for (const { scope } of (await memory.inspect()).scopes) {
    const conversation = memory.conversation(scope);
    const { pins } = await conversation.snapshot();
    const turns = await Array.fromAsync(conversation.turns());
    scopes.push([
      scope.sessionId,
      turns.map(({ turnId, messages }) => [turnId, messages[0]!.content.split(" ")[0]!] as const),
      pins.map(({ key }) => key).sort(),
    ]);
  }
  const records: (readonly [key: string, mark: string])[] = [];
  for (const { key } of (await memory.records.list(TENANT)).items) {
    const found = await memory.records.get({ tenantId: TENANT, kind: "fact", key });
    records.push([key, found!.value.text]);
  }
  return { scopes: scopes.sort(byName), records: records.sort(byName) };
}
