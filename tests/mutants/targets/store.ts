/** A small store for killing tests: in memory or in a directory of its own, with a clock that is set by hand. */

import { defineKind, type Memory, type MemoryOptions, openMemory, type RecordKind } from "@holdfast/memory";
import { z } from "zod";
import { HookedDriver } from "./hooked_driver.ts";

/** A counter without a deadline. */
export const COUNTER: RecordKind = defineKind("counter", z.strictObject({ n: z.int() }), { ttlMax: null });

/** A fact that says one thing. */
export function fact(text = "Prefers lists.", source = "chat-7"): {
  readonly schema: 1;
  readonly text: string;
  readonly source: string;
  readonly reviewed: boolean;
} {
  return { schema: 1, text, source, reviewed: false };
}

/** The identity of a fact. */
export function factId(key: string, tenantId = "orchard"): {
  readonly tenantId: string;
  readonly kind: "fact";
  readonly key: string;
} {
  return { tenantId, kind: "fact", key };
}

/** One test's store. */
export class TestBed implements AsyncDisposable {
  readonly driver = new HookedDriver();
  readonly directory: string | null;
  /** Seconds; what the store's clock tells. */
  seconds = 1_000_000;
  #memory: Memory | null = null;

  private constructor(directory: string | null) {
    this.directory = directory;
  }

  /** A store in memory. */
  static async inMemory(options: MemoryOptions = {}): Promise<TestBed> {
    const bed = new TestBed(null);
    await bed.open(options);
    return bed;
  }

  /** A store in a file. */
  static async inFile(options: MemoryOptions = {}): Promise<TestBed> {
    const bed = new TestBed(Deno.makeTempDirSync({ prefix: "holdfast-target-" }));
    await bed.open(options);
    return bed;
  }

  /** The open store. */
  get memory(): Memory {
    return this.#memory!;
  }

  get records(): Memory["records"] {
    return this.memory.records;
  }

  get path(): string {
    return this.directory === null ? ":memory:" : `${this.directory}/agent.db`;
  }

  async open(options: MemoryOptions = {}): Promise<void> {
    this.#memory = await openMemory(this.path, {
      clock: () => this.seconds * 1_000,
      driver: this.driver,
      kinds: [COUNTER],
      busyTimeoutMs: 200,
      ...options,
    });
  }

  async close(): Promise<void> {
    await this.#memory?.close();
    this.#memory = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.close();
    } finally {
      if (this.directory !== null) Deno.removeSync(this.directory, { recursive: true });
    }
  }
}
