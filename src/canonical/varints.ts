/** Variable-length integers. Each byte has seven bits, the lowest first; its high bit is set if more bytes follow. */

/** Encodes numbers to bytes. */
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

  /** Returns the encoded bytes, followed by `more` zero bytes that the caller can fill. */
  bytes(more = 0): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.length + more);
    bytes.set(this.#bytes);
    return bytes;
  }
}

/** Decodes numbers from bytes. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at = 0;

  /** Reads `bytes` up to, but not including, `end`. */
  constructor(bytes: Uint8Array, end = bytes.length) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** The number of bytes that were read. */
  get at(): number {
    return this.#at;
  }

  /** Whether everything was read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Returns the next number; NaN if the bytes end before it is complete. */
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
