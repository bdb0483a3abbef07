/** Compares with Deno's own key-value store: a set that checks the version, and a get. */

import { openMemory, type Records } from "../../mod.ts";
import { Directory } from "../directories.ts";
import { fillLog, fillOurLog } from "../logs.ts";
import type { Size } from "../measure.ts";
import { factOf, identityOf } from "../stores.ts";
import { inTurn, type PeerQuestion, perCall } from "./peer.ts";

/** The part of `Deno.openKv` that is used here; its own types need a flag. */
export interface KeyValue {
  get(key: readonly string[]): Promise<{ value: unknown; versionstamp: string | null }>;
  atomic(): Atomic;
  delete(key: readonly string[]): Promise<void>;
  close(): void;
}

interface Atomic {
  check(entry: { key: readonly string[]; versionstamp: string | null }): Atomic;
  set(key: readonly string[], value: unknown): Atomic;
  commit(): Promise<{ ok: boolean; versionstamp?: string }>;
}

type KeyValueHost = { openKv?(path: string): Promise<KeyValue> };

/** Opens a store; returns null without the flag that it needs. */
export async function openKeyValue(path: string): Promise<KeyValue | null> {
  const host = Deno as unknown as KeyValueHost;
  return host.openKv === undefined ? null : await host.openKv(path);
}

const KEYS = 64;
const PEER = "Deno KV";
const TERMS =
  "durable: one fsync a commit in both (counted by strace: the last table), logs of full size; ours checks kind, size and deadline, too";

/** Both stores with the same keys, and their versions. */
class Pair implements AsyncDisposable {
  readonly #kv: KeyValue;
  readonly records: Records;
  readonly #close: () => Promise<void>;
  readonly #stamps: (string | null)[] = Array.from({ length: KEYS }, () => null);
  readonly #revisions: (number | null)[] = Array.from({ length: KEYS }, () => null);

  constructor(kv: KeyValue, records: Records, close: () => Promise<void>) {
    this.#kv = kv;
    this.records = records;
    this.#close = close;
  }

  static async open(directory: Directory, size: Size): Promise<Pair | null> {
    const paths = { kv: `${directory.path}/kv.db`, ours: `${directory.path}/ours.db` };
    const kv = await openKeyValue(paths.kv);
    if (kv === null) return null;
    const memory = await openMemory(paths.ours);
    const pair = new Pair(kv, memory.records, () => memory.close());
    for (let index = 0; index < KEYS; index++) {
      await pair.setPeer(index, index);
      await pair.setOurs(index, index);
    }
    await fillLog(paths.kv, size, (number) => kv.atomic().set(["log-filler"], number).commit());
    await fillOurLog(paths.ours, size, memory);
    return pair;
  }

  async setPeer(index: number, value: number): Promise<void> {
    const key = keyOf(index);
    const commit = this.#kv.atomic().check({ key, versionstamp: this.#stamps[index]! }).set(
      key,
      factOf(value),
    );
    const { ok, versionstamp } = await commit.commit();
    if (!ok) throw new Error("The version has changed");
    this.#stamps[index] = versionstamp!;
  }

  async setOurs(index: number, value: number): Promise<void> {
    const options = { expectedRevision: this.#revisions[index]!, ttl: 86_400 };
    this.#revisions[index] = await this.records.put(identityOf(index), factOf(value), options);
  }

  async getPeer(index: number): Promise<number> {
    return ((await this.#kv.get(keyOf(index))).value as { text: string }).text.length;
  }

  async getOurs(index: number): Promise<number> {
    return (await this.records.get(identityOf(index)))!.value.text.length;
  }

  /** Returns the sum of all numbers in both stores. */
  async sums(): Promise<number> {
    let sum = 0;
    for (let index = 0; index < KEYS; index++) {
      const theirs = (await this.#kv.get(keyOf(index))).value as { text: string };
      const ours = (await this.records.get(identityOf(index)))!.value;
      for (const { text } of [theirs, ours]) sum += Number(/\d+/.exec(text)![0]);
    }
    return sum;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kv.close();
    await this.#close();
  }
}

function keyOf(index: number): readonly string[] {
  return ["acme", "fact", `k-${index}`];
}

const MISSING = "Deno KV needs --unstable-kv";

/** The rows compared with Deno KV. */
export const KEY_VALUE: readonly PeerQuestion[] = [
  {
    work: "one value set if its version is the one known",
    ours: "`records.put`",
    peer: PEER,
    terms: TERMS,
    run: async (size) => {
      using directory = new Directory();
      await using pair = await Pair.open(directory, size);
      if (pair === null) return MISSING;
      const times = await inTurn(
        size,
        (number) => pair.setPeer(number % KEYS, 1_000 + number),
        (number) => pair.setOurs(number % KEYS, 1_000 + number),
      );
      return { ...times, checksum: await pair.sums() };
    },
  },
  {
    work: "64 of them at once, each",
    ours: "`records.put`",
    peer: PEER,
    terms: TERMS,
    run: async (size) => {
      using directory = new Directory();
      await using pair = await Pair.open(directory, size);
      if (pair === null) return MISSING;
      const all = Array.from({ length: KEYS }, (_, index) => index);
      const times = await inTurn(
        size,
        (number) => Promise.all(all.map((index) => pair.setPeer(index, 1_000 + number))),
        (number) => Promise.all(all.map((index) => pair.setOurs(index, 1_000 + number))),
      );
      return { ...perCall(times, KEYS), checksum: await pair.sums() };
    },
  },
  {
    work: "one value read",
    ours: "`records.get`",
    peer: PEER,
    terms: "ours checks its checksum and the schema",
    run: async (size) => {
      using directory = new Directory();
      await using pair = await Pair.open(directory, size);
      if (pair === null) return MISSING;
      let checksum = 0;
      const times = await inTurn(size, async () => {
        for (let index = 0; index < KEYS; index++) checksum += await pair.getPeer(index);
      }, async () => {
        for (let index = 0; index < KEYS; index++) checksum += await pair.getOurs(index);
      });
      return { ...perCall(times, KEYS), checksum };
    },
  },
];
