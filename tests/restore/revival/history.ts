/** The plain model of one lineage: the live main, every event since the beginning, and what may never be seen again. */

import { MainState, type ModelEvent, type ModelScope } from "./state.ts";

/** See the module's documentation. */
export class History {
  main = new MainState();
  generation = 0;
  readonly events: ModelEvent[] = [];
  /** Every text that an event covers, in whatever main it was written. */
  readonly gone = new Set<string>();
  /** Every identifier ever used, and the texts ever stored under it. */
  readonly written = new Map<string, string[]>();
  /** The highest revision ever issued to a scope or a record. */
  highest = 0;
  /** The highest ever issued to a record. */
  highestRecord = 0;

  /** The same history with another main, as in a copy of both files. */
  fork(main: MainState): History {
    const fork = new History();
    fork.main = main;
    fork.generation = this.generation;
    fork.events.push(...this.events);
    for (const text of this.gone) fork.gone.add(text);
    for (const [identifier, texts] of this.written) fork.written.set(identifier, [...texts]);
    fork.highest = this.highest;
    fork.highestRecord = this.highestRecord;
    return fork;
  }

  /** Notes texts that are stored under an identifier. */
  write(kind: ModelEvent["kind"], scope: string, key: string, texts: readonly string[]): void {
    const identifier = `${kind} ${scope} ${key}`;
    this.written.set(identifier, [...this.written.get(identifier) ?? [], ...texts]);
  }

  /** An event is recorded, and carried out in the live main. */
  record(event: ModelEvent): void {
    this.events.push(event);
    this.main.apply(event);
    const covered = event.kind === "scope"
      ? this.identifiersOf(event.scope)
      : [`${event.kind} ${event.scope} ${event.key}`];
    for (const identifier of covered) {
      for (const text of this.written.get(identifier) ?? []) this.gone.add(text);
    }
    if (event.kind === "scope") this.gone.add(event.scope.split("/")[1]!);
    else if (event.reserved) this.gone.add(event.key.split("/").at(-1)!);
  }

  /** Every turn and pin that a scope ever had. */
  identifiersOf(scope: string): string[] {
    return [...this.written.keys()].filter((identifier) => {
      const [kind, of] = identifier.split(" ");
      return kind !== "record" && of === scope;
    });
  }

  /** Expires what is past its deadline in a scope: turns first, then pins, each as an event. */
  upkeep(name: string, nowMs: number): void {
    const scope = this.main.scopes.get(name);
    if (scope === undefined) return;
    const isDue = ({ expires }: { readonly expires: number | null }): boolean =>
      expires !== null && expires <= nowMs;
    const turns = [...scope.turns.values()].filter(isDue).sort((a, b) => a.expires! - b.expires!);
    for (const { turnId, revision } of turns) {
      this.record({ kind: "turn", scope: name, key: turnId, reserved: false, floor: revision });
    }
    const pins = [...scope.pins.values()].filter(isDue).sort((a, b) => a.key < b.key ? -1 : 1);
    for (const { key, revision } of pins) {
      this.record({ kind: "pin", scope: name, key, reserved: false, floor: revision });
    }
  }

  /** Removes a tenant's expired records, which is not an event; returns their number. */
  purge(tenant: string, nowMs: number): number {
    let purged = 0;
    for (const [name, record] of this.main.records) {
      if (record.tenantId !== tenant || record.expires === null || record.expires * 1_000 > nowMs) continue;
      this.main.records.delete(name);
      purged++;
    }
    return purged;
  }

  /** Whether an identifier may never be used again, and the minimum of its next revision. */
  tombstone(kind: ModelEvent["kind"], scope: string, key: string): { reserved: boolean; floor: number } {
    const events = this.events.filter((event) =>
      event.kind === kind && event.scope === scope && event.key === key
    );
    const own = kind === "pin" ? this.main.scopes.get(scope)?.floors.get(key) ?? 0 : 0;
    return {
      reserved: events.some(({ reserved }) => reserved),
      floor: Math.max(own, ...events.map(({ floor }) => floor)),
    };
  }

  /** Notes a scope's or record's revision. */
  see(revision: number): number {
    this.highest = Math.max(this.highest, revision);
    return revision;
  }

  /** A backup takes the live main's place, without what newer events erase. */
  restore(backup: MainState): { readonly from: number } {
    const from = backup.applied;
    this.main = backup.clone();
    for (const event of this.events.slice(from)) this.main.apply(event);
    this.main.dropSummaries();
    this.generation++;
    return { from };
  }

  /** The scope of a name in the live main. */
  scope(name: string): ModelScope {
    return this.main.scopes.get(name)!;
  }
}
