/** Every way in which a store runs its caller's code, led to one place: at a chosen moment another call is made from there. */

import { defineKind, type RecordKind, type StandardSchema, type TokenCounter } from "@holdfast/memory";
import { STUB4 } from "../context/golden.ts";
import { NOW_MS } from "../faults/struck_operation.ts";
import type { WatchedDriver } from "./watched_driver.ts";

/** The ways. */
export const SOURCES = [
  "clock",
  "onEvent",
  "schema",
  "migrate",
  "counter",
  "summary policy",
  "change",
  "onProgress",
  "signal",
  "lines",
  "proxy",
] as const;

/** One of the ways. */
export type Source = typeof SOURCES[number];

const readAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")!.get!;

/** See the module's documentation. */
export class Callbacks {
  /** What was called so far, while the outer call is watched. */
  readonly called: Source[] = [];
  /** Those that ran while a transaction of the store was open. */
  readonly inside: Source[] = [];
  /** How much later than what was prepared it is. */
  laterMs = 0;
  readonly #driver: WatchedDriver;
  #isWatching = false;
  #at = Infinity;
  #call: (() => void) | null = null;

  constructor(driver: WatchedDriver) {
    this.#driver = driver;
  }

  /** From now on, callbacks are counted, and the one with this number makes a call. */
  watch(at: number, call: () => void): void {
    this.#at = at;
    this.#call = call;
    this.#isWatching = true;
  }

  stop(): void {
    this.#isWatching = false;
  }

  #met(source: Source): void {
    if (this.#driver.openTransactions > 0) this.inside.push(source);
    if (!this.#isWatching) return;
    const place = this.called.push(source) - 1;
    if (place !== this.#at) return;
    const call = this.#call!;
    // What this call makes run of the caller's code makes no further call.
    this.#isWatching = false;
    call();
    this.#isWatching = true;
  }

  readonly clock = (): number => {
    this.#met("clock");
    return NOW_MS + this.laterMs;
  };

  readonly onEvent = (): void => this.#met("onEvent");

  readonly onProgress = (): void => this.#met("onProgress");

  readonly #schema: StandardSchema<number> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => {
        this.#met("schema");
        return { value: value as number };
      },
    },
  };

  /** A kind as it was when stores were prepared. */
  readonly formerKind: RecordKind<number> = defineKind("watched", this.#schema);

  /** A kind whose schema and migration call back. */
  readonly kind: RecordKind<number> = defineKind("watched", this.#schema, {
    version: 2,
    migrate: (value) => {
      this.#met("migrate");
      return value;
    },
  });

  readonly counter: TokenCounter = {
    ...STUB4,
    countText: (text) => {
      this.#met("counter");
      return STUB4.countText(text);
    },
  };

  /** A change of an update. */
  readonly change = (value: number): number => {
    this.#met("change");
    return value + 1;
  };

  readonly getSummary = (): null => {
    this.#met("summary policy");
    return null;
  };

  /** Gives lines one by one. */
  async *lines(all: readonly string[]): AsyncIterable<string> {
    for (const line of all) {
      this.#met("lines");
      yield line;
    }
  }

  /** The same object, whose traps call back. */
  proxy<T extends object>(value: T): T {
    const met = (): void => this.#met("proxy");
    return new Proxy(value, {
      get: (target, name) => (met(), Reflect.get(target, name)),
      ownKeys: (target) => (met(), Reflect.ownKeys(target)),
      getOwnPropertyDescriptor: (target, name) => (met(), Reflect.getOwnPropertyDescriptor(target, name)),
    });
  }

  /** A signal that calls back when it is looked at or listened to. */
  signal(): AbortSignal {
    const { signal } = new AbortController();
    const { addEventListener, removeEventListener } = signal;
    const met = (): void => this.#met("signal");
    Object.defineProperties(signal, {
      aborted: { get: () => (met(), readAborted.call(signal)) },
      throwIfAborted: { value: met },
      addEventListener: {
        value: (...given: unknown[]) => (met(), Reflect.apply(addEventListener, signal, given)),
      },
      removeEventListener: {
        value: (...given: unknown[]) => (met(), Reflect.apply(removeEventListener, signal, given)),
      },
    });
    return signal;
  }
}
