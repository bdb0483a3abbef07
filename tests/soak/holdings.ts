/** What one process knows of its own things in the store: every acknowledged effect, and nothing else. */

/** What was erased, by kind and name. */
export type Erased = readonly [kind: "record" | "turn" | "pin" | "scope", name: string];

/** See the module's documentation. */
export class Holdings {
  /** Records by key. */
  readonly records = new Map<string, { readonly revision: number; readonly text: string }>();
  /** Keys that were revoked, the latest of them. */
  readonly revoked: string[] = [];
  /** The session of its own conversation. */
  session = "";
  /** Turns of that by id, in order. */
  readonly turns = new Map<string, { readonly revision: number; readonly text: string }>();
  readonly pins = new Map<string, string>();
  /** Turns that it has in the shared conversation. */
  readonly shared = new Set<string>();

  clone(): Holdings {
    const clone = new Holdings();
    for (const [key, record] of this.records) clone.records.set(key, record);
    clone.revoked.push(...this.revoked);
    clone.session = this.session;
    for (const [turnId, turn] of this.turns) clone.turns.set(turnId, turn);
    for (const [key, value] of this.pins) clone.pins.set(key, value);
    for (const turnId of this.shared) clone.shared.add(turnId);
    return clone;
  }

  /** What an event of the ledger does, in whatever main it is applied. */
  erase([kind, name]: Erased): void {
    if (kind === "record") this.records.delete(name);
    else if (kind === "turn") this.#eraseTurn(name);
    else if (kind === "pin") this.pins.delete(name);
    else if (name === this.session) {
      this.turns.clear();
      this.pins.clear();
      this.session = "";
    }
  }

  #eraseTurn(turnId: string): void {
    this.turns.delete(turnId);
    this.shared.delete(turnId);
  }
}
