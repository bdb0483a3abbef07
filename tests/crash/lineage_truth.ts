/**
 * The expected content of a store, of those restored from it, and of their copies, from the reports of children:
 * acknowledged effects, every deletion in order, and at most one call in flight.
 */

import assert from "node:assert/strict";
import type { Receipt } from "@holdfast/memory";
import { type Deletion, deletionOf, Holding } from "./holding.ts";
import { FIRST, type LineageAnswer, type LineageCall, type LineageLine, type StoreName } from "./lineage.ts";

const RECEIPTS_VERIFIED = 3;
const COPIES_KEPT = 3;

/** A call that concerns the content of one store. */
export type StoreCall = LineageCall & { readonly in: StoreName };

/** One of the two stores. */
export interface KnownStore {
  holding: Holding;
  readonly deletions: Deletion[];
}

/** What was in a store when a copy of it was made. */
export interface Copied {
  readonly holding: Holding;
  /** How many of the store's deletions it has. */
  readonly deletions: number;
  readonly generation: number;
  readonly of: StoreName;
}

/** The model of one directory, over all its children. */
export class LineageTruth {
  readonly stores: Readonly<Record<StoreName, KnownStore>> = {
    main: { holding: new Holding(), deletions: [] },
    other: { holding: new Holding(), deletions: [] },
  };
  readonly lineage: string;
  live = FIRST;
  generation = 0;
  /** Names of stores that a restore has fenced off. */
  readonly fenced: string[] = [];
  readonly backups = new Map<string, Copied>();
  readonly ledgers = new Map<string, Copied>();
  readonly exports = new Map<string, Copied>();
  readonly #receipts: Receipt[] = [];
  readonly #highest: Record<StoreName, number> = { main: 0, other: 0 };
  inFlight: LineageCall | null = null;
  /** Acknowledged calls by kind. */
  readonly acknowledged: Record<string, number> = {};

  /** The model of a new store, by its lineage. */
  constructor(lineage: string) {
    this.lineage = lineage;
  }

  /** The newest receipts, which must be valid. */
  get receipts(): readonly Receipt[] {
    return this.#receipts.slice(-RECEIPTS_VERIFIED);
  }

  /** Reads one line of the running child. */
  hear(line: LineageLine): void {
    assert(line.type !== "error", line.type === "error" ? `${line.message}\n${line.stack}` : "");
    if (line.type === "intent") this.inFlight = line.call;
    if (line.type !== "ack") return;
    const call = this.inFlight!;
    this.acknowledged[call.op] = (this.acknowledged[call.op] ?? 0) + 1;
    this.#note(call, line.answer);
    this.happened();
  }

  #note(call: LineageCall, answer: LineageAnswer): void {
    if (call.op === "put") {
      const revision = answer as number;
      assert(revision > this.#highest[call.in], `revision ${revision} was handed out before`);
      this.#highest[call.in] = revision;
      if (call.in === "main") {
        assert(revision >= this.generation * 2 ** 32, "a revision of an older generation");
      }
    }
    if (call.op.startsWith("delete") && "in" in call && call.in === "main") {
      this.#receipts.push(answer as Receipt);
    }
  }

  /** The call in flight has happened. */
  happened(): void {
    const call = this.inFlight!;
    this.inFlight = null;
    if (call.op === "export") this.exports.set(call.to, this.#copyOf(call.in));
    else if ("in" in call) this.#changed(call);
    else if (call.op === "restore") this.#restored(call.from, call.to);
    else (call.op === "backup" ? this.backups : this.ledgers).set(call.to, this.#copyOf("main"));
  }

  #changed(call: StoreCall): void {
    const store = this.stores[call.in];
    store.holding = this.after(call);
    const deletion = deletionOf(call);
    if (deletion !== null) store.deletions.push(deletion);
  }

  #copyOf(of: StoreName): Copied {
    const { holding, deletions } = this.stores[of];
    return { holding: holding.clone(), deletions: deletions.length, generation: this.generation, of };
  }

  #restored(from: string, to: string): void {
    this.stores.main.holding = this.restoredFrom(this.backups.get(from)!);
    this.fenced.push(this.live);
    this.live = to;
    this.generation++;
  }

  /** Keeps the newest few copies of each sort; the other files can be removed. */
  forgetOldCopies(): void {
    for (const copies of [this.backups, this.ledgers, this.exports]) {
      for (const name of [...copies.keys()].slice(0, -COPIES_KEPT)) copies.delete(name);
    }
  }

  /** The content after a restore with a ledger of so many deletions; all of them if omitted. */
  restoredFrom(backup: Copied, recorded: number = this.stores.main.deletions.length): Holding {
    const holding = backup.holding.clone();
    for (const deletion of this.stores.main.deletions.slice(backup.deletions, recorded)) {
      holding.erase(deletion);
    }
    return holding;
  }

  /** The effect of a call on its store. */
  after(call: StoreCall): Holding {
    const { holding, deletions } = this.stores[call.in];
    const after = holding.clone();
    if (call.op !== "import") {
      after.apply(call);
      return after;
    }
    const lines = this.exports.get(call.from)!;
    const since = lines.of === call.in ? lines.deletions : 0;
    const [ever, lately] = [new Set(deletions), new Set(deletions.slice(since))];
    // A forgotten record may be put again, and newer lines of its own store restore it.
    const isDeleted = (deletion: Deletion): boolean =>
      (deletion.startsWith("record ") && !deletion.startsWith("record once-") ? lately : ever).has(deletion);
    after.take(lines.holding, isDeleted);
    return after;
  }
}
