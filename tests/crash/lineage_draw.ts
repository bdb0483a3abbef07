/** Draws the calls of a child that works on a lineage of stores, depending on their content. */

import type { Memory } from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";
import { destinationOf, type LineageCall, type LineageErrand, type Op, type StoreName } from "./lineage.ts";
import { TENANT, timeOf } from "./talk.ts";

const SCOPES = 2;
const RECORDS = ["ash", "birch", "cedar", "damson", "elder"];
const RECORDS_MAX = 8;

/** See the module's documentation. */
export class LineageDraw {
  readonly seeded: Seeded;
  readonly backups: string[];
  readonly exports: (readonly [name: string, of: StoreName])[];
  generation: number;
  readonly #cycle: number;
  readonly #stores: Readonly<Record<StoreName, Memory>>;
  #marks = 0;

  /** The stores are read again for each call. */
  constructor(errand: LineageErrand, stores: Readonly<Record<StoreName, Memory>>) {
    this.#cycle = errand.cycle;
    this.#stores = stores;
    this.seeded = new Seeded(errand.seed);
    this.backups = [...errand.backups];
    this.exports = [...errand.exports];
    this.generation = errand.generation;
  }

  #mark(): string {
    return `zq${this.#cycle}x${this.#marks++}q`;
  }

  /** A deadline shortly after this child's time, or none. */
  #expiry(): number | null {
    return this.seeded.chance(0.2) ? timeOf(this.#cycle) + this.seeded.integer(1, 3) * 10_000 - 5_000 : null;
  }

  /** A call that concerns a whole store. */
  drawCopy(op: Op): LineageCall | null {
    const into = this.seeded.pick(["main", "other"] as const);
    if (op === "backup" || op === "exportLedger") return { op, to: `${op}-${this.#mark()}` };
    if (op === "export") return { op, in: into, to: `export-${this.#mark()}` };
    if (op === "restore" && this.backups.length > 0) {
      return { op, from: this.seeded.pick(this.backups), to: destinationOf(this.generation) };
    }
    if (op === "import" && this.exports.length > 0) {
      return { op, in: into, from: this.seeded.pick(this.exports)[0] };
    }
    return null;
  }

  /** Any call; null if the drawn one is not possible now. */
  async draw(): Promise<LineageCall | null> {
    const store = this.seeded.chance(0.85) ? "main" : "other";
    const op = this.seeded.weighted<Op | "scope" | "record">([
      [16, "scope"],
      [8, "record"],
      [1, "prune"],
      [1.5, "backup"],
      [0.5, "exportLedger"],
      [1, "restore"],
      [1, "export"],
      [1.5, "import"],
    ]);
    if (op === "scope") return await this.#drawScope(store);
    if (op === "record") return await this.#drawRecord(store);
    if (op === "prune") return { op, in: store, scrub: this.seeded.chance(0.5) };
    return this.drawCopy(op);
  }

  async #drawScope(store: StoreName): Promise<LineageCall | null> {
    const { scopes } = await this.#stores[store].inspect();
    const names = scopes.map(({ scope }) => scope.sessionId);
    if (names.length < SCOPES) return { op: "create", in: store, scope: this.#mark() };
    const at = { in: store, scope: this.seeded.pick(names) };
    const conversation = this.#stores[store].conversation({ tenantId: TENANT, sessionId: at.scope });
    const turns = await Array.fromAsync(conversation.turns());
    const { pins } = await conversation.snapshot();
    const turn = this.seeded.pick([...turns.map(({ turnId }) => turnId), null]);
    const pin = this.seeded.pick([...pins.map(({ key }) => key), null]);
    const mark = this.#mark();
    const expiresAtMs = this.#expiry();
    return this.seeded.weighted<LineageCall | null>([
      [turns.length < 20 ? 8 : 1, { op: "turn", ...at, id: mark, mark, expiresAtMs }],
      [2, turn === null ? null : { op: "revise", ...at, id: turn, mark }],
      [pins.length < 6 ? 2 : 0, { op: "pin", ...at, mark, expiresAtMs }],
      [4, turn === null ? null : { op: "deleteTurn", ...at, id: turn }],
      [1, pin === null ? null : { op: "deletePin", ...at, mark: pin }],
      [0.3, { op: "deleteScope", ...at }],
    ]);
  }

  async #drawRecord(store: StoreName): Promise<LineageCall | null> {
    const { items } = await this.#stores[store].records.list(TENANT);
    const key = this.seeded.chance(0.8) ? this.seeded.pick(RECORDS) : `once-${this.#mark()}`;
    if (items.length < RECORDS_MAX && this.seeded.chance(0.6)) {
      return { op: "put", in: store, key, mark: this.#mark() };
    }
    if (items.length === 0) return null;
    const forgotten = this.seeded.pick(items).key;
    return { op: "forget", in: store, key: forgotten, revoke: forgotten.startsWith("once-") };
  }
}
