/** Everything at once, for a bounded time: what one of several processes does to a store they share. */

import { ConflictError, type Memory } from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";
import { THREAD, VISITS } from "./shared_names.ts";
import type { MixResult, Task } from "./task.ts";

const SHARED_KEYS = ["s0", "s1", "s2"];
const CALLS_MAX = 20_000;

type Mix = Task & { readonly do: "mix" };

/** Mixes calls about records and a conversation with checks until the time is over; conflicts are expected, errors not. */
export async function mix(memory: Memory, task: Mix): Promise<MixResult> {
  const mixing = new Mixing(memory, task);
  const until = performance.now() + task.forMs;
  while (performance.now() < until && mixing.calls < CALLS_MAX) await mixing.step();
  return mixing.result();
}

class Mixing {
  calls = 0;
  #conflicts = 0;
  #forgotten = 0;
  readonly #waitsMs: number[] = [];
  readonly #kept = new Map<string, number>();
  readonly #revisions: number[] = [];
  readonly #memory: Memory;
  readonly #records: Memory["records"];
  readonly #prunes: boolean;
  readonly #seeded: Seeded;
  #text = 0;

  constructor(memory: Memory, { seed, prunes }: Mix) {
    this.#memory = memory;
    this.#records = memory.records;
    this.#seeded = new Seeded(seed);
    this.#prunes = prunes;
  }

  async step(): Promise<void> {
    await this.#seeded.weighted<() => Promise<void>>([
      [6, () => this.#call(() => this.#putOwn())],
      [4, () => this.#call(() => this.#putShared())],
      [2, () => this.#call(() => this.#forgetShared())],
      [1, () => this.#call(() => this.#forgetOwn())],
      [3, () => this.#call(() => this.#increment())],
      [1, () => this.#call(() => this.#records.purge("orchard", { now: 0 }).then(() => {}))],
      [6, () => this.#call(() => this.#records.get(VISITS).then(() => {}))],
      [1, () => this.#call(() => this.#records.list("orchard").then(() => {}))],
      [1, () => this.#call(() => this.#append())],
      [1, () => this.#call(() => this.#readTurns())],
      [0.3, () => this.#call(() => this.#check())],
      [this.#prunes ? 0.5 : 0, () => this.#call(() => this.#memory.prune().then(() => {}))],
      [2, () => this.#together()],
    ])();
  }

  result(): MixResult {
    return {
      calls: this.calls,
      conflicts: this.#conflicts,
      waitsMs: this.#waitsMs.toSorted((a, b) => a - b),
      kept: [...this.#kept],
      revisions: this.#revisions,
      forgotten: this.#forgotten,
    };
  }

  async #call(call: () => Promise<void>): Promise<void> {
    const started = performance.now();
    try {
      await call();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      this.#conflicts++;
    }
    this.calls++;
    this.#waitsMs.push(performance.now() - started);
  }

  async #together(): Promise<void> {
    const calls = Array.from({ length: 8 }, () => () => this.#putOwn());
    await Promise.all(calls.map((call) => this.#call(call)));
  }

  async #putOwn(): Promise<void> {
    const key = `own-${this.#seeded.seed}-${this.#text}`;
    this.#kept.set(key, await this.#put(key, null));
  }

  async #putShared(): Promise<void> {
    const key = this.#seeded.pick(SHARED_KEYS);
    const found = await this.#records.get(fact(key));
    await this.#put(key, found?.revision ?? null);
  }

  async #put(key: string, expectedRevision: number | null): Promise<number> {
    const value = { schema: 1, text: `${this.#text++}`, source: "mix", reviewed: false } as const;
    const revision = await this.#records.put(fact(key), value, { expectedRevision, ttl: 3_600 });
    this.#revisions.push(revision);
    return revision;
  }

  async #forgetShared(): Promise<void> {
    const key = this.#seeded.pick(SHARED_KEYS);
    const found = await this.#records.get(fact(key));
    if (found !== null && await this.#records.forget(fact(key), found.revision)) this.#forgotten++;
  }

  async #forgetOwn(): Promise<void> {
    const [first] = this.#kept;
    if (first === undefined) return;
    const [key, revision] = first;
    if (!await this.#records.forget(fact(key), revision)) throw new Error(`${key} was not where it was put`);
    this.#kept.delete(key);
    this.#forgotten++;
  }

  async #append(): Promise<void> {
    const content = `turn ${this.#text++}`;
    await this.#memory.conversation(THREAD).append([{ role: "user", content }]);
  }

  async #readTurns(): Promise<void> {
    const texts: string[] = [];
    const turns = this.#memory.conversation(THREAD).turns({ last: 5 });
    for await (const { messages } of turns) texts.push(messages[0]!.content ?? "");
    if (!texts.every((text) => text.startsWith("turn "))) throw new Error("a turn was not what was appended");
  }

  async #check(): Promise<void> {
    const { problems } = await this.#memory.check();
    if (problems.length > 0) throw new Error(`a check found ${JSON.stringify(problems)}`);
  }

  async #increment(): Promise<void> {
    const change = ({ n }: { n: number }): { n: number } => ({ n: n + 1 });
    this.#revisions.push(await this.#records.update(VISITS, change, { ttl: null, attempts: 1_000 }));
  }
}

function fact(key: string): { readonly tenantId: string; readonly kind: "fact"; readonly key: string } {
  return { tenantId: "orchard", kind: "fact", key };
}
