/** Plays seeded operations on a journal and on a plain list beside it; every answer must be the list's. */

import assert from "node:assert/strict";
import { type Journal, type Json, type Memory, openMemory } from "@holdfast/memory";
import { ORCHARD } from "../conversations/samples.ts";
import { assertIntact } from "../kit/soundness.ts";
import { Seeded } from "../model/records/seeded.ts";

interface ModelEntry {
  readonly uuid: string | null;
  readonly json: Json;
}

/** Plays so many steps; the store is reopened now and then. */
export async function play(
  path: string,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<void> {
  const model = new Model(path, new Seeded(seed));
  await model.open();
  try {
    for (let step = 0; step < steps; step++) await model.step();
    await model.verify();
  } finally {
    await model.close();
  }
}

const PARTS = ["", "tools", "notes"] as const;

/** What a journal holds, as a list. */
interface ModelJournal {
  entries: ModelEntry[];
  revision: number;
  isDeleted: boolean;
}

class Model {
  readonly #path: string;
  readonly #seeded: Seeded;
  readonly #journals = new Map<string, ModelJournal>();
  readonly #done: {
    readonly part: string;
    readonly id: string;
    readonly entries: readonly ModelEntry[];
    readonly revision: number;
  }[] = [];
  #memory: Memory | null = null;
  #made = 0;

  constructor(path: string, seeded: Seeded) {
    this.#path = path;
    this.#seeded = seeded;
  }

  async open(): Promise<void> {
    this.#memory = await openMemory(this.#path);
  }

  async close(): Promise<void> {
    await this.#memory?.close();
  }

  async step(): Promise<void> {
    const part = this.#seeded.pick(PARTS);
    const held = this.#journals.get(part) ?? { entries: [], revision: 0, isDeleted: false };
    this.#journals.set(part, held);
    const journal = this.#memory!.journal(ORCHARD, part);
    if (held.isDeleted) {
      await assert.rejects(journal.append([{ json: 0 }]), { reason: "DELETED" });
      return await this.#reopen();
    }
    await this.#seeded.weighted<() => Promise<unknown>>([
      [8, () => this.#append(journal, held)],
      [2, () => this.#repeat()],
      [3, () => this.#pop(journal, held)],
      [3, () => this.#replace(journal, held)],
      [4, () => this.#read(journal, held)],
      [1, () => this.#clear(journal, held)],
      [0.05, () => this.#delete(journal, held)],
      [1, () => this.#reopen()],
    ])();
    if (!held.isDeleted) held.revision = await this.#memory!.journal(ORCHARD, part).revision();
  }

  #make(): ModelEntry[] {
    return Array.from({ length: this.#seeded.integer(0, 5) }, () => ({
      uuid: this.#seeded.chance(0.5) ? `entry ${this.#made++}` : null,
      json: { n: this.#made++, text: "x".repeat(this.#seeded.integer(0, 3_000)) },
    }));
  }

  async #append(journal: Journal, held: ModelJournal): Promise<void> {
    const fresh = this.#make();
    const known = held.entries.filter(({ uuid }) => uuid !== null);
    const sent = known.length > 0 && this.#seeded.chance(0.3) ? [this.#seeded.pick(known), ...fresh] : fresh;
    const id = `operation ${this.#made++}`;
    const operationId = this.#seeded.chance(0.3) ? id : undefined;
    const revision = await journal.append(sent.map(given), { operationId });
    assert.equal(revision === held.revision, fresh.length === 0, "the revision moves with what is new");
    held.entries.push(...fresh);
    if (operationId !== undefined) this.#done.push({ part: journal.part, id, entries: sent, revision });
  }

  async #repeat(): Promise<void> {
    if (this.#done.length === 0) return;
    const { part, id, entries, revision } = this.#seeded.pick(this.#done);
    const journal = this.#memory!.journal(ORCHARD, part);
    assert.equal(await journal.append(entries.map(given), { operationId: id }), revision);
  }

  async #pop(journal: Journal, held: ModelJournal): Promise<void> {
    const count = this.#seeded.integer(1, 4);
    const popped = await journal.pop(count);
    assert.deepEqual(popped.map(({ uuid, json }) => ({ uuid, json })), held.entries.splice(-count));
  }

  async #replace(journal: Journal, held: ModelJournal): Promise<void> {
    const from = this.#seeded.integer(1, held.entries.length + 1);
    const fresh = this.#make();
    if (this.#seeded.chance(0.2)) {
      const stale = { from, expectedRevision: held.revision + 1 };
      await assert.rejects(journal.replaceSuffix(stale, fresh.map(given)), { reason: "REVISION" });
    }
    await journal.replaceSuffix({ from, expectedRevision: held.revision }, fresh.map(given));
    held.entries.splice(from - 1, Infinity, ...fresh);
  }

  async #read(journal: Journal, held: ModelJournal): Promise<void> {
    const [after, before] = [this.#seeded.integer(0, 20), this.#seeded.integer(0, 200)];
    const last = this.#seeded.chance(0.5) ? this.#seeded.integer(0, 40) : undefined;
    const expected = held.entries.map((entry, index) => ({ place: index + 1, ...entry }))
      .filter(({ place }) => place > after && place < before);
    const wanted = last === undefined ? expected : expected.slice(Math.max(0, expected.length - last));
    assert.deepEqual(await Array.fromAsync(journal.read({ after, before, last })), wanted);
  }

  async #clear(journal: Journal, held: ModelJournal): Promise<void> {
    const receipt = await journal.clear();
    assert.equal(receipt.erased.entries, held.entries.length);
    held.entries = [];
    assert.equal((await this.#memory!.verifyReceipt(receipt)).valid, true);
  }

  async #delete(journal: Journal, held: ModelJournal): Promise<void> {
    if (held.revision === 0) return;
    assert.equal((await journal.delete()).erased.entries, held.entries.length);
    held.isDeleted = true;
  }

  async #reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  /** Everything is as the lists say. */
  async verify(): Promise<void> {
    for (const [part, { entries, isDeleted }] of this.#journals) {
      if (isDeleted) continue;
      const found = await Array.fromAsync(this.#memory!.journal(ORCHARD, part).read());
      assert.deepEqual(found, entries.map((entry, index) => ({ place: index + 1, ...entry })));
    }
    await assertIntact(this.#memory!);
  }
}

function given({ uuid, json }: ModelEntry): { readonly uuid?: string; readonly json: Json } {
  return uuid === null ? { json } : { uuid, json };
}
