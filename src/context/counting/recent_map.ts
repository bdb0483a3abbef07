/** A bounded memory by text. */

/** Remembers values for texts, and may forget any of them. */
export interface TextMemory<T> {
  /** What is remembered for a text, or undefined. */
  get(text: string): T | undefined;
  /** Remembers. */
  set(text: string, value: T): void;
}

/**
 * Remembers what was computed for texts, and forgets what was not asked for of late: two generations, the older of
 * which is dropped when the younger is full. Holds at most twice `charactersMax` characters of keys.
 */
export class RecentMap<T> implements TextMemory<T> {
  readonly #charactersMax: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #characters = 0;

  /** Takes the size of a generation, in characters of the texts. */
  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** What is remembered for a text, or undefined. */
  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  /** Remembers. A text that alone exceeds a generation is not kept. */
  set(text: string, value: T): void {
    if (text.length > this.#charactersMax) return;
    if (this.#characters + text.length > this.#charactersMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    if (!this.#young.has(text)) this.#characters += text.length;
    this.#young.set(text, value);
  }
}
