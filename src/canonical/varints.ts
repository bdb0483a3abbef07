/** Lists of small whole numbers as bytes: seven bits a byte, the lowest first, the high bit set where more follow. */

/** Writes numbers. */
export class VarintWriter {
  readonly #bytes: number[] = [];

  /** Adds a whole number of at least 0. */
  add(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes.push((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes.push(rest);
  }

  /** What was written, with room for `more` bytes at the end. */
  bytes(more = 0): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.length + more);
    bytes.set(this.#bytes);
    return bytes;
  }
}

/** Reads numbers back. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at = 0;

  /** Takes bytes, up to `end`. */
  constructor(bytes: Uint8Array, end = bytes.length) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** How many bytes were read. */
  get at(): number {
    return this.#at;
  }

  /** Whether everything was read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The next number; NaN where the bytes end within it, or before. */
  next(): number {
    let value = 0;
    for (let scale = 1; this.#at < this.#end; scale *= 0x80) {
      const byte = this.#bytes[this.#at++]!;
      if (byte < 0x80) return value + byte * scale;
      value += (byte - 0x80) * scale;
    }
    return NaN;
  }
}
