/** What a main file holds, as plain data, and what an event of the ledger erases in it. */

/** A turn; its deadline in milliseconds. */
export interface ModelTurn {
  readonly turnId: string;
  readonly revision: number;
  readonly messageId: string;
  readonly content: string;
  readonly expires: number | null;
}

/** A pin; its deadline in milliseconds. */
export interface ModelPin {
  readonly key: string;
  readonly revision: number;
  readonly value: string;
  /** The turn it cites. */
  readonly cites: string | null;
  readonly expires: number | null;
}

/** A scope. */
export interface ModelScope {
  readonly tenantId: string;
  readonly sessionId: string;
  /** In the order in which they were stored. */
  readonly turns: Map<string, ModelTurn>;
  readonly pins: Map<string, ModelPin>;
  /** The texts of each journal, by its part. */
  readonly journals: Map<string, readonly string[]>;
  summary: { readonly content: string; readonly covers: readonly string[] } | null;
  /** Revisions of pins that were lost with their source: no event tells of them. */
  readonly floors: Map<string, number>;
}

/** A record; its deadline in seconds. */
export interface ModelRecord {
  readonly tenantId: string;
  readonly kind: string;
  readonly key: string;
  readonly revision: number;
  readonly content: string;
  readonly expires: number | null;
}

/** An event of the ledger. */
export interface ModelEvent {
  readonly kind: "scope" | "turn" | "pin" | "journal" | "record";
  /** The scope's name; of a record, its tenant. */
  readonly scope: string;
  /** The turn's id, the pin's key, the journal's part, the record's kind and key; of a scope, its name. */
  readonly key: string;
  readonly reserved: boolean;
  readonly floor: number;
}

/** Number of rows by kind, as in a restore's report. */
export interface RowCounts {
  readonly records: number;
  readonly scopes: number;
  readonly turns: number;
  readonly pins: number;
  readonly entries: number;
}

/** The name of a scope in the model. */
export function nameOf({ tenantId, sessionId }: Pick<ModelScope, "tenantId" | "sessionId">): string {
  return `${tenantId}/${sessionId}`;
}

/** The name of a record in the model. */
export function recordNameOf(
  { tenantId, kind, key }: Pick<ModelRecord, "tenantId" | "kind" | "key">,
): string {
  return `${tenantId}/${kind}/${key}`;
}

/** See the module's documentation. */
export class MainState {
  readonly scopes = new Map<string, ModelScope>();
  readonly records = new Map<string, ModelRecord>();
  /** How many events of the ledger it has. */
  applied = 0;

  clone(): MainState {
    const clone = new MainState();
    for (const [name, scope] of this.scopes) {
      clone.scopes.set(name, {
        ...scope,
        turns: new Map(scope.turns),
        pins: new Map(scope.pins),
        journals: new Map(scope.journals),
        floors: new Map(scope.floors),
      });
    }
    for (const [name, record] of this.records) clone.records.set(name, record);
    clone.applied = this.applied;
    return clone;
  }

  /** Erases what an event names, in any incarnation. */
  apply(event: ModelEvent): void {
    this.applied++;
    if (event.kind === "record") this.records.delete(`${event.scope}/${event.key}`);
    else if (event.kind === "scope") this.scopes.delete(event.scope);
    else if (event.kind === "turn") this.eraseTurn(event.scope, event.key);
    else if (event.kind === "journal") this.eraseJournal(event);
    else this.scopes.get(event.scope)?.pins.delete(event.key);
  }

  /** A journal that was deleted goes; one that was cleared is there, and empty. */
  eraseJournal({ scope, key, reserved }: ModelEvent): void {
    const journals = this.scopes.get(scope)?.journals;
    if (reserved) journals?.delete(key);
    else if (journals?.has(key) === true) journals.set(key, []);
  }

  /** A turn goes, with what derives from it. */
  eraseTurn(name: string, turnId: string): void {
    if (this.scopes.get(name)?.turns.delete(turnId) === true) this.changeTurn(name, turnId);
  }

  /** A turn's content changed or went: the pins that cite it and a summary that covers it go. */
  changeTurn(name: string, turnId: string): void {
    const scope = this.scopes.get(name)!;
    for (const pin of [...scope.pins.values()].filter(({ cites }) => cites === turnId)) {
      scope.pins.delete(pin.key);
      scope.floors.set(pin.key, Math.max(scope.floors.get(pin.key) ?? 0, pin.revision));
    }
    if (scope.summary?.covers.includes(turnId) === true) scope.summary = null;
  }

  /** Summaries are not restored. */
  dropSummaries(): void {
    for (const scope of this.scopes.values()) scope.summary = null;
  }

  counts(): RowCounts {
    const scopes = [...this.scopes.values()];
    return {
      records: this.records.size,
      scopes: scopes.length,
      turns: scopes.reduce((sum, { turns }) => sum + turns.size, 0),
      pins: scopes.reduce((sum, { pins }) => sum + pins.size, 0),
      entries: scopes.reduce((sum, { journals }) => sum + [...journals.values()].flat().length, 0),
    };
  }

  /** Every text and identifier that its file may hold. */
  texts(): ReadonlySet<string> {
    const texts = new Set<string>();
    for (const { tenantId, sessionId, turns, pins, journals, summary } of this.scopes.values()) {
      for (const text of [tenantId, sessionId, summary?.content ?? tenantId]) texts.add(text);
      for (const { turnId, messageId, content } of turns.values()) {
        for (const text of [turnId, messageId, content]) texts.add(text);
      }
      for (const { key, value } of pins.values()) texts.add(key).add(value);
      for (const text of [...journals].flat(2)) texts.add(text);
    }
    for (const { tenantId: tenant, key, content } of this.records.values()) {
      texts.add(tenant).add(key).add(content);
    }
    return texts;
  }
}
