/** A bounded memory by text that keeps no text: a store outlives what is deleted from it. */

import { sha256Hex } from "../../canonical/sha256.ts";
import type { TextMemory } from "./recent_map.ts";

/** Code units of a text below which hashing it costs as much as counting it. */
const FAR_CODE_UNITS_MIN = 8;

/** The same as a `RecentMap`, by each text's SHA-256: two generations, the older of which is dropped when the younger is full. */
export class HashedMemory<T> implements TextMemory<T> {
  readonly #entriesMax: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** Takes the size of a generation, in texts. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** What is remembered for a text, or undefined. */
  get(text: string): T | undefined {
    const key = sha256Hex(text);
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#set(key, old);
    return old;
  }

  /** Remembers. */
  set(text: string, value: T): void {
    this.#set(sha256Hex(text), value);
  }

  #set(key: string, value: T): void {
    if (this.#young.size >= this.#entriesMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/** What one call remembers by text, in front of what is remembered by hash across calls: each text is hashed once a call. */
export class NearMemory<T> implements TextMemory<T> {
  readonly #near: TextMemory<T>;
  readonly #far: TextMemory<T>;

  /** Takes the two. */
  constructor(near: TextMemory<T>, far: TextMemory<T>) {
    this.#near = near;
    this.#far = far;
  }

  /** What is remembered for a text, or undefined. */
  get(text: string): T | undefined {
    const near = this.#near.get(text);
    if (near !== undefined || text.length < FAR_CODE_UNITS_MIN) return near;
    const far = this.#far.get(text);
    if (far !== undefined) this.#near.set(text, far);
    return far;
  }

  /** Remembers in both. */
  set(text: string, value: T): void {
    this.#near.set(text, value);
    if (text.length >= FAR_CODE_UNITS_MIN) this.#far.set(text, value);
  }
}
