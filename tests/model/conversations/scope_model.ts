/** One scope as plain data, and the rules of its changes: what each call does, told without any database. */

/** What a call gave, or why it was refused. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly refused: string; readonly currentRevision?: number };

/** A turn. */
export interface ModelTurn {
  readonly turnId: string;
  readonly messageIds: readonly string[];
  revision: number;
  content: string;
  /** Which of the shapes of messages it has. */
  readonly shape: number;
  readonly timestamp: string;
  expires: number | null;
}

/** A pin. */
export interface ModelPin {
  readonly revision: number;
  readonly value: string;
  readonly effective: number;
  readonly expires: number | null;
  /** The turn it cites. */
  readonly cites: string | null;
}

/** A summary. */
export interface ModelSummary {
  readonly content: string;
  readonly covers: readonly string[];
  readonly expires: number | null;
}

/** What was erased. */
export interface ModelCounts {
  turns: number;
  pins: number;
  summaries: number;
  replay: number;
  operations: number;
}

/** Nothing yet. */
export function noCounts(): ModelCounts {
  return { turns: 0, pins: 0, summaries: 0, replay: 0, operations: 0 };
}

/** An event of the ledger. */
export interface ModelEvent {
  readonly kind: "scope" | "turn" | "pin";
  readonly key: string;
  readonly reserved: boolean;
  readonly floor: number;
  readonly counts: ModelCounts;
}

/** See the module's documentation. */
export class ScopeModel {
  revision = 0;
  turns: ModelTurn[] = [];
  readonly pins = new Map<string, ModelPin>();
  summary: ModelSummary | null = null;
  readonly replays = new Map<
    string,
    { readonly payload: number; readonly expires: number; readonly identity: string }
  >();
  readonly operations = new Map<string, { readonly input: string; readonly result: number }>();
  /** Floors that main keeps: of pins lost with their source. */
  readonly floors = new Map<string, number>();
  /** Ids of messages that were deleted with their turn, those that the store chose apart. */
  readonly deletedMessages = new Set<string>();
  /** No later than the first time at which something is due. */
  nextExpiry: number | null = null;

  /** Notes that something becomes due. */
  noteExpiry(due: number | null): void {
    if (due !== null && (this.nextExpiry === null || due < this.nextExpiry)) this.nextExpiry = due;
  }

  /** Any change: the revision moves, the replays go. */
  changed(counts: ModelCounts): void {
    this.revision++;
    counts.replay += this.replays.size;
    this.replays.clear();
  }

  /** A turn's content changed or went. */
  changedTurn(turnId: string, counts: ModelCounts): void {
    this.changed(counts);
    for (const [key, pin] of [...this.pins]) {
      if (pin.cites !== turnId) continue;
      this.floors.set(key, Math.max(this.floors.get(key) ?? 0, pin.revision));
      this.erasePin(key, counts);
    }
    if (this.summary?.covers.includes(turnId) === true) this.eraseSummary(counts);
  }

  eraseTurn(turnId: string, counts: ModelCounts): void {
    this.turns = this.turns.filter((turn) => turn.turnId !== turnId);
    counts.turns++;
    this.changedTurn(turnId, counts);
  }

  erasePin(key: string, counts: ModelCounts): void {
    this.pins.delete(key);
    counts.pins++;
    this.changed(counts);
  }

  eraseSummary(counts: ModelCounts): void {
    if (this.summary !== null) counts.summaries++;
    this.summary = null;
  }

  /** Erases what is due; gives the events of turns and pins, in order. */
  upkeep(now: number, counts: ModelCounts): ModelEvent[] {
    if (this.nextExpiry === null || this.nextExpiry > now) return [];
    const events: ModelEvent[] = [];
    const isDue = (expires: number | null): boolean => expires !== null && expires <= now;
    const expiredTurns = this.turns.filter(({ expires }) => isDue(expires)).sort((a, b) =>
      a.expires! - b.expires!
    );
    for (const { turnId, revision } of expiredTurns) {
      const own = noCounts();
      this.eraseTurn(turnId, own);
      events.push({ kind: "turn", key: turnId, reserved: false, floor: revision, counts: own });
    }
    const expiredPins = [...this.pins].filter(([, { expires }]) => isDue(expires)).sort(byKey);
    for (const [key, { revision }] of expiredPins) {
      const own = noCounts();
      this.erasePin(key, own);
      events.push({ kind: "pin", key, reserved: false, floor: revision, counts: own });
    }
    for (const event of events) add(counts, event.counts);
    if (this.summary !== null && isDue(this.summary.expires)) {
      this.eraseSummary(counts);
      this.changed(counts);
    }
    for (const [key, { expires }] of [...this.replays]) {
      if (!isDue(expires)) continue;
      this.replays.delete(key);
      counts.replay++;
    }
    this.nextExpiry = this.#firstExpiry();
    return events;
  }

  #firstExpiry(): number | null {
    const due = [
      ...this.turns.map(({ expires }) => expires),
      ...[...this.pins.values()].map(({ expires }) => expires),
      this.summary?.expires ?? null,
      ...[...this.replays.values()].map(({ expires }) => expires),
    ].filter((expires) => expires !== null);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Whether something is due that a snapshot would show. */
  showsDue(now: number): boolean {
    const isDue = ({ expires }: { readonly expires: number | null }): boolean =>
      expires !== null && expires <= now;
    return this.turns.some(isDue) || [...this.pins.values()].some(isDue) ||
      (this.summary !== null && isDue(this.summary));
  }

  /** Active pins by key, at a time. */
  activePins(now: number): readonly (readonly [string, ModelPin])[] {
    return [...this.pins].filter(([, { effective }]) => effective <= now).sort(byKey);
  }

  /** What makes two snapshots equal. */
  identity(now: number): string {
    const pins = this.activePins(now).map(([key, { revision }]) => [key, revision]);
    return JSON.stringify([this.revision, pins, this.summary?.content ?? null]);
  }
}

/** By key in code point order: UTF-16 order is another one above U+FFFF. The model's keys differ in their first. */
export function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a.codePointAt(0)! - b.codePointAt(0)!;
}

/** Adds counts. */
export function add(to: ModelCounts, from: ModelCounts): void {
  for (const name of Object.keys(from) as (keyof ModelCounts)[]) to[name] += from[name];
}
