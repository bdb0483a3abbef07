/** One process of the soak: mixed work on its own things and on shared ones, and what must be there afterwards. */

import assert from "node:assert/strict";
import {
  ConflictError,
  type Conversation,
  type Memory,
  openMemory,
  StorageError,
  type TokenCounter,
} from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";
import { type Erased, Holdings } from "./holdings.ts";
import { SHARED, type Verified } from "./job.ts";

const TURNS_MAX = 120;
const RECORDS_MAX = 80;
const SHARED_MAX = 60;
const REVOKED_MAX = 20;
/** Long enough for a loaded machine: a lock error that reaches a caller is a failure. */
const BUSY_TIMEOUT_MS = 60_000;

const COUNTER: TokenCounter = {
  name: "quarters",
  version: "1",
  countText: (text) => Math.ceil(text.length / 4),
};

/** See the module's documentation. */
export class Soaking {
  readonly #name: string;
  readonly #deletionPath: string;
  #memory: Memory;
  #seeded = new Seeded(0);
  #held = new Holdings();
  /** What it held when the backup was made that is to be restored. */
  #atBackup: Holdings | null = null;
  /** What was erased since: no restore brings it back. */
  #erased: Erased[] = [];
  /** A deletion of which only a restore's fence was told. */
  #doubtful: Erased | null = null;
  #calls = 0;
  #moves = 0;
  #made = 0;

  private constructor(memory: Memory, name: string, deletionPath: string) {
    this.#memory = memory;
    this.#name = name;
    this.#deletionPath = deletionPath;
  }

  static async open(path: string, deletionPath: string, name: string): Promise<Soaking> {
    return new Soaking(await openStore(path, deletionPath), name, deletionPath);
  }

  /** Works until the time is over, and makes one call at least. */
  async work(seed: number, forMs: number, nextPath: string | null): Promise<void> {
    this.#seeded = new Seeded(seed);
    if (nextPath !== null) {
      this.#atBackup = this.#held.clone();
      this.#erased = [];
    }
    const until = performance.now() + forMs;
    do {
      await this.#following(nextPath, () => this.#step());
      this.#calls++;
    } while (performance.now() < until);
  }

  /** Does something; where another store is live by now, goes on there, without what came after its backup. */
  async #following(nextPath: string | null, body: () => Promise<unknown>): Promise<boolean> {
    try {
      await body();
      return true;
    } catch (error) {
      if (error instanceof ConflictError && error.reason === "SNAPSHOT") return false;
      if (!(error instanceof StorageError && error.code === "REPLACED")) throw error;
      assert.equal(error.details.by, "restore");
      assert(this.#atBackup !== null && nextPath !== null, "replaced although nothing was restored");
      await this.#memory.close();
      this.#memory = await openStore(nextPath, this.#deletionPath);
      this.#moves++;
      this.#held = this.#atBackup;
      this.#atBackup = null;
      for (const erased of this.#erased) this.#held.erase(erased);
      await this.#settle();
      return false;
    }
  }

  /** Makes a deletion, which counts as made from the moment that its record is certain. */
  async #deleting(erased: Erased, body: () => Promise<unknown>): Promise<void> {
    try {
      this.#doubtful = erased;
      await body();
    } catch (error) {
      if (error instanceof StorageError && error.details.recorded !== undefined) this.#erase(erased);
      else if (!(error instanceof StorageError && error.details.outcome === "unknown")) this.#doubtful = null;
      throw error;
    }
    this.#erase(erased);
  }

  #erase(erased: Erased): void {
    this.#doubtful = null;
    this.#erased.push(erased);
    this.#held.erase(erased);
  }

  async #step(): Promise<void> {
    await this.#seeded.weighted<() => Promise<unknown>>([
      [6, () => this.#putRecord()],
      [3, () => this.#forgetRecord()],
      [6, () => this.#append()],
      [2, () => this.#revise()],
      [3, () => this.#deleteTurn()],
      [2, () => this.#pin()],
      [1, () => this.#deletePin()],
      [0.1, () => this.#deleteScope()],
      [3, () => this.#appendShared()],
      [1, () => this.#deleteShared()],
      [4, () => this.#readRecord()],
      [2, () => this.#readTurns()],
      [1, () => this.#search()],
      [1, () => this.#assemble()],
      [0.2, () => this.#memory.prune({ scrub: false })],
      [0.1, async () => assert.deepEqual((await this.#memory.check()).problems, [])],
    ])();
  }

  #fresh(what: string): string {
    return `${what}-${this.#name}-${this.#made++}`;
  }

  #text(): string {
    return `${this.#fresh("word")} `.repeat(this.#seeded.integer(1, 120)).trim();
  }

  #record(key: string): { readonly tenantId: string; readonly kind: "fact"; readonly key: string } {
    return { tenantId: "soak", kind: "fact", key };
  }

  async #putRecord(): Promise<void> {
    const { records } = this.#held;
    const isNew = records.size === 0 || (records.size < RECORDS_MAX && this.#seeded.chance(0.5));
    const key = isNew ? this.#fresh("r") : this.#seeded.pick([...records.keys()]);
    const text = this.#text().slice(0, 200);
    const value = { schema: 1, text, source: "soak", reviewed: false } as const;
    const expectedRevision = records.get(key)?.revision ?? null;
    const revision = await this.#memory.records.put(this.#record(key), value, {
      expectedRevision,
      ttl: 86_400,
    });
    records.set(key, { revision, text });
  }

  async #forgetRecord(): Promise<void> {
    const [first] = this.#seeded.shuffled([...this.#held.records]);
    if (first === undefined) return;
    const [key, { revision }] = first;
    const revoke = this.#seeded.chance(0.3);
    await this.#deleting(["record", key], async () => {
      assert.equal(await this.#memory.records.forget(this.#record(key), revision, { revoke }), true);
    });
    if (!revoke) return;
    this.#held.revoked.push(key);
    if (this.#held.revoked.length > REVOKED_MAX) this.#held.revoked.shift();
  }

  get #own(): Conversation {
    if (this.#held.session === "") this.#held.session = this.#fresh("session");
    return this.#memory.conversation({ tenantId: "soak", sessionId: this.#held.session });
  }

  async #append(): Promise<void> {
    if (this.#held.turns.size >= TURNS_MAX) return await this.#deleteTurn();
    const text = this.#text();
    const { turnId } = await this.#own.append([{ role: "user", content: text }]);
    this.#held.turns.set(turnId, { revision: 1, text });
  }

  async #revise(): Promise<void> {
    if (this.#held.turns.size === 0) return;
    const talk = this.#own;
    const [turnId, turn] = this.#seeded.pick([...this.#held.turns]);
    const [text, revision] = [this.#text(), turn.revision + 1];
    const messages = [{ messageId: this.#fresh("m"), role: "user" as const, content: text }];
    await talk.putTurn({ turnId, scope: talk.scope, revision, messages }, {
      operationId: this.#fresh("operation"),
      expectedRevision: await talk.revision(),
    });
    this.#held.turns.set(turnId, { revision, text });
  }

  async #deleteTurn(): Promise<void> {
    if (this.#held.turns.size === 0) return;
    await this.#delete("turn", this.#seeded.pick([...this.#held.turns.keys()]));
  }

  async #pin(): Promise<void> {
    if (this.#held.turns.size === 0 || this.#held.pins.size > 20) return;
    const talk = this.#own;
    const [key, value] = [this.#fresh("pin"), this.#text()];
    const expectedRevision = await talk.revision();
    await talk.putPin({ scope: talk.scope, key, value, origin: "soak" }, { expectedRevision });
    this.#held.pins.set(key, value);
  }

  async #deletePin(): Promise<void> {
    const [key] = this.#held.pins.keys();
    if (key !== undefined) await this.#delete("pin", key);
  }

  async #delete(kind: "turn" | "pin", key: string): Promise<void> {
    const talk = this.#own;
    const expectedRevision = await talk.revision();
    await this.#deleting([kind, key], () => talk.delete({ kind, key, expectedRevision }));
  }

  async #deleteScope(): Promise<void> {
    if (this.#held.turns.size === 0) return;
    const talk = this.#own;
    const expectedRevision = await talk.revision();
    const { session } = this.#held;
    await this.#deleting(["scope", session], () => talk.delete({ kind: "scope", expectedRevision }));
  }

  async #appendShared(): Promise<void> {
    const { shared } = this.#held;
    if (shared.size >= SHARED_MAX) return await this.#deleteShared();
    const talk = this.#memory.conversation(SHARED);
    shared.add((await talk.append([{ role: "user", content: this.#text() }])).turnId);
  }

  /** Others change the shared conversation all the time: its revision has to be met. */
  async #deleteShared(): Promise<void> {
    const [key] = this.#held.shared;
    if (key === undefined) return;
    const talk = this.#memory.conversation(SHARED);
    for (;;) {
      const expectedRevision = await talk.revision();
      try {
        return await this.#deleting(
          ["turn", key],
          () => talk.delete({ kind: "turn", key, expectedRevision }),
        );
      } catch (error) {
        if (!(error instanceof ConflictError && error.reason === "REVISION")) throw error;
      }
    }
  }

  async #readRecord(): Promise<void> {
    const [first] = this.#seeded.shuffled([...this.#held.records]);
    if (first === undefined) return;
    const [key, { revision, text }] = first;
    const found = await this.#memory.records.get(this.#record(key));
    assert.deepEqual([found?.revision, found?.value.text], [revision, text]);
  }

  async #readTurns(): Promise<void> {
    if (this.#held.turns.size === 0) return;
    const found = await Array.fromAsync(this.#own.turns({ last: 5 }));
    assert.deepEqual(found.map(({ turnId }) => turnId), [...this.#held.turns.keys()].slice(-5));
  }

  async #search(): Promise<void> {
    if (this.#held.turns.size === 0) return;
    const [turnId, { text }] = this.#seeded.pick([...this.#held.turns]);
    const hits = await this.#own.search(text.split(" ")[0]!);
    assert(hits.some(({ source }) => source.turnId === turnId), "a turn of its own is found");
  }

  async #assemble(): Promise<void> {
    if (this.#held.turns.size === 0) return;
    const options = { system: "S", counting: { counter: COUNTER } };
    const { snapshot } = await this.#own.assemble("What was said?", { maxInputTokens: 20_000 }, options);
    assert.equal(snapshot.turnCount, this.#held.turns.size);
  }

  /** Everything it did that counts is there, and nothing that it erased. */
  async verify(nextPath: string | null): Promise<Verified> {
    if (!await this.#following(nextPath, () => this.#compare())) await this.#compare();
    return {
      calls: this.#calls,
      moves: this.#moves,
      resident: Deno.memoryUsage().rss,
      records: this.#held.records.size,
      turns: this.#held.turns.size + this.#held.shared.size,
    };
  }

  async #compare(): Promise<void> {
    for (const [key, { revision, text }] of this.#held.records) {
      const found = await this.#memory.records.get(this.#record(key));
      assert.deepEqual([found?.revision, found?.value.text], [revision, text], key);
    }
    const kept = await this.#memory.records.list("soak", { kind: "fact", limit: 1_000 });
    const own = kept.items.filter(({ key }) => key.startsWith(`r-${this.#name}-`));
    assert.deepEqual(own.map(({ key }) => key).sort(), [...this.#held.records.keys()].sort());
    for (const key of this.#held.revoked) await this.#assertRevoked(key);
    const shared = new Set(
      (await this.#turnsOf(this.#memory.conversation(SHARED))).map(([turnId]) => turnId),
    );
    assert.deepEqual([...this.#held.shared].filter((turnId) => !shared.has(turnId)), []);
    if (this.#held.turns.size === 0) return;
    const turns = await this.#turnsOf(this.#own);
    assert.deepEqual(turns, [...this.#held.turns].map(([id, { revision, text }]) => [id, revision, text]));
    const { pins } = await this.#own.snapshot();
    assert.deepEqual(
      pins.map(({ key, value }) => [key, value]).sort(),
      [...this.#held.pins].sort(),
    );
  }

  /** A deletion that was in flight when the store was fenced was recorded or not; either may be found. */
  async #settle(): Promise<void> {
    const doubtful = this.#doubtful;
    this.#doubtful = null;
    if (doubtful === null) return;
    const [kind, name] = doubtful;
    if (kind === "record") {
      if (await this.#memory.records.get(this.#record(name)) === null) this.#held.erase(doubtful);
    } else if (kind === "scope") {
      if (name === this.#held.session && (await this.#turnsOf(this.#own)).length === 0) {
        this.#held.erase(doubtful);
      }
    } else {
      const turns = await this.#turnsOf(this.#own);
      const shared = await this.#turnsOf(this.#memory.conversation(SHARED));
      const pins = this.#held.turns.size === 0 ? [] : (await this.#own.snapshot()).pins;
      const isThere = [...turns, ...shared].some(([turnId]) => turnId === name) ||
        pins.some(({ key }) => key === name);
      if (!isThere) this.#held.erase(doubtful);
    }
  }

  async #assertRevoked(key: string): Promise<void> {
    const value = { schema: 1, text: "again", source: "soak", reviewed: false } as const;
    const put = this.#memory.records.put(this.#record(key), value, { expectedRevision: null, ttl: 60 });
    await assert.rejects(put, (error) => {
      if (error instanceof StorageError) throw error;
      return error instanceof ConflictError && error.reason === "DELETED";
    });
  }

  async #turnsOf(talk: Conversation): Promise<(readonly [string, number, string])[]> {
    try {
      const turns = await Array.fromAsync(talk.turns());
      return turns.map(({ turnId, revision, messages }) => [turnId, revision, messages[0]!.content]);
    } catch (error) {
      if (error instanceof ConflictError && ["MISSING", "DELETED"].includes(error.reason)) return [];
      throw error;
    }
  }

  /** Deletes and forgets all it has. */
  async clear(): Promise<void> {
    await this.#deleteScope();
    for (const [key, { revision }] of [...this.#held.records]) {
      assert.equal(await this.#memory.records.forget(this.#record(key), revision), true);
      this.#held.records.delete(key);
    }
    while (this.#held.shared.size > 0) await this.#deleteShared();
  }

  async close(): Promise<void> {
    await this.#memory.close();
  }
}

function openStore(path: string, deletionPath: string): Promise<Memory> {
  return openMemory(path, { deletionPath, busyTimeoutMs: BUSY_TIMEOUT_MS });
}
