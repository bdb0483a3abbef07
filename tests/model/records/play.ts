/** Plays steps on a store and on the model, and compares the two after each. */

import assert from "node:assert/strict";
import { compareAll, listItem } from "./comparison.ts";
import { type Abilities, drawStep, type Step } from "./plan.ts";
import { type ForgetCall, type ModelOutcome, type PutCall, RecordModel } from "./record_model.ts";
import { Seeded } from "./seeded.ts";
import { keyedHash, ObservedStore, outcomeOf, type Place } from "./observed_store.ts";
import { kindsOf, valueFor } from "./vocabulary.ts";

/** How a run is played. */
export interface Run extends Abilities {
  readonly seed: number;
  readonly steps: number;
  readonly place: Place;
  /** How many stores have the file open at once; calls go to one of them at random. */
  readonly stores: number;
}

/** What a run did: enough to see that it was no empty one. */
export interface Tally {
  readonly steps: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** How many calls were answered with what an earlier one was. */
  readonly recalled: number;
}

const STEPS_SHOWN = 12;
const STEPS_BETWEEN_CHECKS = 100;

/** Plays a run; a difference is told with the seed and the shortest prefix of steps that shows it. */
export async function play(run: Run): Promise<Tally> {
  const player = new Player(run);
  const played: Step[] = [];
  const seeded = new Seeded(run.seed);
  try {
    await player.open();
    while (played.length < run.steps) {
      const step = drawStep({ seeded, model: player.model, abilities: run, played });
      played.push(step);
      await player.step(step, seeded);
      if (played.length % STEPS_BETWEEN_CHECKS === 0) await player.check();
    }
    await player.check();
    return { steps: played.length, outcomes: player.outcomes, recalled: player.model.recalled };
  } catch (error) {
    const shown = played.slice(-STEPS_SHOWN).map((step) => `  ${JSON.stringify(step)}`).join("\n");
    const { message, stack } = error as Error;
    throw new assert.AssertionError({
      message: `seed ${run.seed}: the shortest prefix that fails has ${played.length} steps; its last are\n` +
        `${shown}\n${message}\n${stack}`,
    });
  } finally {
    await player.close();
  }
}

class Player {
  readonly model: RecordModel;
  readonly outcomes: Record<string, number> = {};
  readonly #run: Run;
  #stores: ObservedStore[] = [];

  constructor(run: Run) {
    this.#run = run;
    this.model = new RecordModel(1_900_000_000_000 + run.seed);
  }

  async open(acceptClock = false): Promise<void> {
    for (let index = 0; index < this.#run.stores; index++) {
      this.#stores.push(
        await ObservedStore.open(this.#run.place, {
          clock: () => this.model.clockMs,
          acceptClock,
          kinds: kindsOf(this.model.counterVersion),
        }),
      );
    }
    this.model.reopen(acceptClock);
    if (acceptClock) this.#adoptOperations();
  }

  /**
   * Which operations older than a day were cleared away already, nobody promises; once the clock was set back on
   * purpose, those still there are remembered again.
   */
  #adoptOperations(): void {
    const store = this.#stores[0]!;
    const [[hashKey]] = store.main("SELECT hash_key FROM meta") as [[Uint8Array]];
    const kept = new Set(store.main("SELECT hex(operation_hash) FROM operations").map(([hex]) => hex));
    for (const name of this.model.operations.keys()) {
      const [tenant, id] = JSON.parse(name) as [string, string];
      const hash = keyedHash(hashKey, ["operation", keyedHash(hashKey, ["tenant", tenant]), id]);
      if (!kept.has(hash.toUpperCase())) this.model.operations.delete(name);
    }
  }

  async close(): Promise<void> {
    for (const { memory } of this.#stores.splice(0)) await memory.close();
  }

  async check(): Promise<void> {
    const { ok, problems, rows } = await this.#stores[0]!.memory.check();
    assert.deepEqual(problems, []);
    assert.equal(ok, true);
    assert.equal(rows.records, this.model.rows.size);
  }

  async step(step: Step, seeded: Seeded): Promise<void> {
    const store = seeded.pick(this.#stores);
    switch (step.op) {
      case "clock":
        this.model.clockMs = step.toMs;
        break;
      case "reopen":
        await this.close();
        this.model.counterVersion++;
        await this.open(step.acceptClock);
        break;
      case "together":
        await this.#together(store, step.calls);
        break;
      case "misuse":
        await this.#misuse(store, step);
        break;
      case "get": {
        const row = this.model.live(step.identity, step.now);
        const found = await store.memory.records.get(step.identity, { now: step.now });
        assert.equal(found?.revision, row?.revision);
        break;
      }
      case "list":
        await this.#list(store, step);
        break;
      default:
        this.#agree(step.op, await this.#call(store, step), this.#predict(step));
    }
    for (const each of this.#stores) await compareAll(each, this.model);
  }

  async #call({ memory: { records } }: ObservedStore, step: Step): Promise<ModelOutcome> {
    if (step.op === "put") return await outcomeOf(putTo(records, step.call));
    if (step.op === "forget") return await outcomeOf(forgetFrom(records, step.call));
    if (step.op === "purge") {
      return await outcomeOf(records.purge(step.tenantId, step.now === undefined ? {} : { now: step.now }));
    }
    assert.ok(step.op === "update");
    const rivals = [...step.rivals];
    const change = async (): Promise<never> => {
      const rival = rivals.shift();
      if (rival !== undefined) {
        const current = (await records.get(step.identity))!.revision;
        await records.put(step.identity, rival as never, {
          expectedRevision: current,
          ttl: step.ttl,
        });
      }
      await Promise.resolve();
      return step.value as never;
    };
    return await outcomeOf(records.update(step.identity, change, { ttl: step.ttl, attempts: step.attempts }));
  }

  #predict(step: Step): ModelOutcome {
    if (step.op === "put") return this.model.put(step.call);
    if (step.op === "forget") return this.model.forget(step.call);
    if (step.op === "purge") return this.model.purge(step.tenantId, step.now);
    assert.ok(step.op === "update");
    return this.#predictUpdate(step);
  }

  #predictUpdate(step: Step & { readonly op: "update" }): ModelOutcome {
    const { identity, value, ttl } = step;
    const lasting = ttl === undefined ? {} : { ttl };
    for (let attempt = 0;; attempt++) {
      const found = this.model.live(identity, this.model.nowSeconds());
      if (found === null) return { refused: "MISSING", currentRevision: null };
      const rival = step.rivals[attempt];
      let expectedRevision = found.revision;
      if (rival !== undefined) {
        const put = this.model.put({ identity, value: rival, expectedRevision: found.revision, ...lasting });
        // What the rival's own call throws, the change throws, and the update passes on.
        if ("refused" in put) return put;
        expectedRevision = found.revision;
      }
      if (value === null) return { value: found.revision };
      const put = this.model.put({ identity, value, expectedRevision, ...lasting }, ttl === undefined);
      if ("value" in put) return put;
      if (put.refused === "EXPIRED") return { refused: "MISSING", currentRevision: null };
      if (put.refused !== "REVISION" || attempt + 1 >= step.attempts) return put;
    }
  }

  async #together(store: ObservedStore, calls: readonly (PutCall | ForgetCall)[]): Promise<void> {
    const { records } = store.memory;
    const running = calls.map((call) =>
      outcomeOf("revoke" in call ? forgetFrom(records, call) : putTo(records, call))
    );
    const predicted = calls.map((call) => "revoke" in call ? this.model.forget(call) : this.model.put(call));
    for (const [index, outcome] of (await Promise.all(running)).entries()) {
      this.#agree("together", outcome, predicted[index]!);
    }
    // Whether a failing member asked for the time decides whether the others' commit moves the mark.
    const [[mark]] = store.main("SELECT clock_mark FROM meta") as [[number]];
    assert.ok(mark === this.model.markMs || mark === this.model.highestMs);
    this.model.markMs = mark;
  }

  async #list({ memory }: ObservedStore, step: Step & { readonly op: "list" }): Promise<void> {
    const { tenantId, kind, limit, now } = step;
    const options = { ...(kind === undefined ? {} : { kind }), ...(now === undefined ? {} : { now }) };
    const all = this.model.listed(tenantId, now ?? this.model.nowSeconds())
      .filter((row) => kind === undefined || row.identity.kind === kind).map(listItem);
    if (limit === 0) {
      assert.deepEqual(await memory.records.list(tenantId, { ...options, limit }), { items: [], next: null });
      return;
    }
    const listed: unknown[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof memory.records.list>> = await memory.records.list(tenantId, {
        ...options,
        limit,
        ...(after === null ? {} : { after }),
      });
      assert.ok(page.items.length <= limit);
      listed.push(...page.items);
      after = page.next;
    } while (after !== null && listed.length <= all.length);
    assert.deepEqual(listed, all, "the pages of a list together");
  }

  async #misuse(
    { memory: { records } }: ObservedStore,
    step: Step & { readonly op: "misuse" },
  ): Promise<void> {
    const { identity } = step;
    const value = valueFor(identity.kind, 1) as never;
    const good = { expectedRevision: null, ttl: 5 };
    const misuses: readonly (() => Promise<unknown>)[] = [
      () => records.put(identity, value, { ...good, ttl: 0 }),
      () => records.put(identity, { ...value as object, extra: 1 } as never, good),
      () => records.put(identity, value, { ...good, expectedRevision: 0 }),
      () => records.put({ ...identity, kind: "unknown" }, value, good),
      () => records.put({ ...identity, key: "" }, value, good),
      () => records.purge(identity.tenantId, { now: -1 }),
      () => records.forget(identity, 1.5),
      () => records.list(identity.tenantId, { limit: -1 }),
    ];
    this.#agree("misuse", await outcomeOf(misuses[step.which]!()), { refused: "CONTRACT" });
  }

  #agree(op: string, actual: ModelOutcome, expected: ModelOutcome): void {
    assert.deepEqual(actual, expected, op);
    const name = "refused" in actual ? actual.refused : `${op}: ${typeof actual.value}`;
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
  }
}

type Records = ObservedStore["memory"]["records"];

function putTo(records: Records, { identity, value, ...options }: PutCall): Promise<number> {
  return records.put(identity, value as never, options);
}

function forgetFrom(
  records: Records,
  { identity, expectedRevision, ...options }: ForgetCall,
): Promise<boolean> {
  return records.forget(identity, expectedRevision, options);
}
