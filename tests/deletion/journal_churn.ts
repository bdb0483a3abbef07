/** The journals of a churned store: entries are appended, popped, replaced, cleared and deleted, every text marked. */

import type { Memory, NewJournalEntry, Scope } from "@holdfast/memory";
import type { Seeded } from "../model/records/seeded.ts";

/** Where marks come from, and where they go. */
interface ChurnMarks {
  make(): string;
  kill(marks: Iterable<string>): void;
}

/** An entry by its marks. */
interface KeptEntry {
  readonly uuid: string;
  readonly mark: string;
}

/** See the module's documentation. */
export class JournalChurn {
  readonly #memory: Memory;
  readonly #marks: ChurnMarks;
  readonly #seeded: Seeded;
  readonly #scopes = new Map<Scope, Map<string, KeptEntry[]>>();

  constructor(memory: Memory, marks: ChurnMarks, seeded: Seeded) {
    this.#memory = memory;
    this.#marks = marks;
    this.#seeded = seeded;
  }

  /** Changes one journal of a scope. */
  async change(scope: Scope): Promise<void> {
    const journals = this.#scopes.get(scope) ?? new Map<string, KeptEntry[]>();
    this.#scopes.set(scope, journals);
    const parts = [...journals.keys()];
    const part = parts.length < 3 ? this.#marks.make() : this.#seeded.pick(parts);
    const entries = journals.get(part) ?? [];
    journals.set(part, entries);
    const journal = this.#memory.journal(scope, part);
    await this.#seeded.weighted<() => Promise<unknown>>([
      [6, () => journal.append(this.#make(entries))],
      [2, async () => this.#kill(entries.splice(-(await journal.pop(2)).length || entries.length))],
      [2, async () => {
        const from = this.#seeded.integer(1, entries.length + 1);
        const expectedRevision = await journal.revision();
        const places = await Array.fromAsync(journal.read(), ({ place }) => place);
        this.#kill(entries.splice(from - 1));
        const first = places[from - 1] ?? (places.at(-1) ?? 0) + 1;
        await journal.replaceSuffix({ from: first, expectedRevision }, this.#make(entries));
      }],
      [1, async () => {
        this.#kill(entries.splice(0));
        await journal.clear();
      }],
      [0.5, async () => {
        this.#kill(entries.splice(0));
        this.#marks.kill([part]);
        journals.delete(part);
        await journal.append([{ json: 0 }]);
        await journal.delete();
      }],
    ])();
  }

  #make(entries: KeptEntry[]): NewJournalEntry[] {
    return Array.from({ length: this.#seeded.integer(1, 4) }, () => {
      const entry = { uuid: this.#marks.make(), mark: this.#marks.make() };
      entries.push(entry);
      const text = Array.from({ length: this.#seeded.integer(1, 400) }, () => entry.mark).join(" ");
      return { uuid: entry.uuid, json: { text } };
    });
  }

  #kill(entries: readonly KeptEntry[]): void {
    this.#marks.kill(entries.flatMap(({ uuid, mark }) => [uuid, mark]));
  }

  /** The scope is deleted, with all its journals. */
  forget(scope: Scope): void {
    for (const [part, entries] of this.#scopes.get(scope) ?? []) {
      this.#marks.kill([part]);
      this.#kill(entries);
    }
  }
}
