/** Slices a text by code points many times, without walking it from the start each time. */

const SURROGATE = /[\ud800-\udfff]/;

/** A well-formed text that is addressed by code points. */
export class CodePointMap {
  /** The text. */
  readonly text: string;
  /** Its length in code points. */
  readonly length: number;
  /** The code unit offset of each code point, and of the end; null if every code point is one code unit. */
  readonly #offsets: Uint32Array | null;

  /** Indexes the text in one pass. */
  constructor(text: string) {
    this.text = text;
    this.#offsets = SURROGATE.test(text) ? offsetsOf(text) : null;
    this.length = this.#offsets === null ? text.length : this.#offsets.length - 1;
  }

  /** Returns the text from code point `start` up to, but not including, `end`. Both are within the text. */
  slice(start: number, end: number = this.length): string {
    return this.text.slice(this.offset(start), this.offset(end));
  }

  /** Returns the code unit offset at which a code point begins. */
  offset(codePoint: number): number {
    return this.#offsets?.[codePoint] ?? codePoint;
  }
}

function offsetsOf(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1);
  let count = 0;
  for (let unit = 0; unit < text.length; unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1) {
    offsets[count++] = unit;
  }
  offsets[count] = text.length;
  return offsets.subarray(0, count + 1);
}
