/**
 * A strict parser of JSON (RFC 8259). It refuses repeated keys, numbers that are not finite, ill-formed text and deep
 * nesting, and it remembers which numbers were written as floats. `JSON.parse` does none of these.
 */

import { type CanonicalValue, Float } from "./canonical_json.ts";
import { JSON_DEPTH_MAX } from "./plain.ts";

/** Most digits of one integer. The reference's runtime reads no more, and parsing more takes more than linear time. */
const INTEGER_DIGITS_MAX = 4_300;

/** Thrown if a text is not strict JSON. Internal: callers turn it into their own error. */
export class StrictJsonFailure extends Error {
  /** The rule that it breaks, as the end of a sentence: "must …". */
  readonly rule: string;

  /** Creates the error for one rule. */
  constructor(rule: string) {
    super(rule);
    this.rule = rule;
  }
}

/**
 * Parses JSON text in linear time. Integers within ±(2^53 - 1) become `number`, other integers `bigint`, and floats
 * `Float`. Objects have no prototype, so that `__proto__` is a key like any other.
 *
 * @throws {StrictJsonFailure} with the rule that the text breaks
 */
export function readStrictJson(text: string, depthMax: number = JSON_DEPTH_MAX): CanonicalValue {
  if (!text.isWellFormed()) throw new StrictJsonFailure("must be well-formed Unicode");
  return new Reader(text, depthMax).readAll();
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
/** The control characters below the space, which must be escaped inside a string. */
const CONTROL = /[^ -\uffff]/;

class Reader {
  readonly #text: string;
  readonly #depthMax: number;
  readonly #holdsControls: boolean;
  #at = 0;
  /** The offset of the next backslash, at or after `#at`. It is searched again only after the parser has passed it. */
  #backslash: number;

  constructor(text: string, depthMax: number) {
    this.#text = text;
    this.#depthMax = depthMax;
    this.#holdsControls = CONTROL.test(text);
    this.#backslash = indexOrEnd(text, "\\", 0);
  }

  readAll(): CanonicalValue {
    const value = this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  #readValue(depth: number): CanonicalValue {
    this.#skipSpace();
    switch (this.#text.charAt(this.#at)) {
      case '"':
        return this.#readText();
      case "{":
        return this.#readObject(depth + 1);
      case "[":
        return this.#readArray(depth + 1);
      case "t":
        return this.#readWord("true", true);
      case "f":
        return this.#readWord("false", false);
      case "n":
        return this.#readWord("null", null);
      default:
        return this.#readNumber();
    }
  }

  #readObject(depth: number): CanonicalValue {
    this.#enter(depth);
    const object: Record<string, CanonicalValue> = Object.create(null);
    if (this.#take("}")) return object;
    do {
      this.#skipSpace();
      const key = this.#readText();
      if (key in object) this.#fail("must not repeat a key");
      this.#expect(":");
      object[key] = this.#readValue(depth);
    } while (this.#take(","));
    this.#expect("}");
    return object;
  }

  #readArray(depth: number): CanonicalValue {
    this.#enter(depth);
    const items: CanonicalValue[] = [];
    if (this.#take("]")) return items;
    do items.push(this.#readValue(depth)); while (this.#take(","));
    this.#expect("]");
    return items;
  }

  #readText(): string {
    if (this.#text.charAt(this.#at) !== '"') this.#fail();
    const start = this.#at + 1;
    let end = indexOrEnd(this.#text, '"', start);
    let escaped = false;
    if (this.#backslash < start) this.#backslash = indexOrEnd(this.#text, "\\", start);
    while (this.#backslash < end) {
      escaped = true;
      if (this.#backslash + 1 === end) end = indexOrEnd(this.#text, '"', end + 1);
      this.#backslash = indexOrEnd(this.#text, "\\", this.#backslash + 2);
    }
    if (end === this.#text.length) this.#fail();
    this.#at = end + 1;
    return escaped ? this.#unescape(start, end) : this.#raw(start, end);
  }

  #raw(start: number, end: number): string {
    const text = this.#text.slice(start, end);
    if (this.#holdsControls && CONTROL.test(text)) this.#fail();
    return text;
  }

  /** Decodes escapes with the platform's parser, which knows them all and refuses raw control characters. */
  #unescape(start: number, end: number): string {
    let text: unknown;
    try {
      text = JSON.parse(this.#text.slice(start - 1, end + 1));
    } catch {
      this.#fail();
    }
    if (typeof text !== "string") this.#fail();
    if (!text.isWellFormed()) this.#fail("must be well-formed Unicode");
    return text;
  }

  #readNumber(): CanonicalValue {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) this.#fail();
    const [lexeme, fraction, exponent] = match;
    this.#at += lexeme.length;
    const value = Number(lexeme);
    if (fraction !== undefined || exponent !== undefined) {
      if (!Number.isFinite(value)) this.#fail("must hold finite numbers only");
      return new Float(value);
    }
    if (Number.isSafeInteger(value)) return value + 0;
    const digits = lexeme.length - (lexeme.startsWith("-") ? 1 : 0);
    if (digits > INTEGER_DIGITS_MAX) this.#fail(`must hold integers of at most ${INTEGER_DIGITS_MAX} digits`);
    return BigInt(lexeme);
  }

  #readWord<T extends CanonicalValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail();
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > this.#depthMax) this.#fail(`must be nested at most ${this.#depthMax} deep`);
    this.#at++;
  }

  /** Skips white space, and then `sign` if it comes next; returns whether it did. */
  #take(sign: string): boolean {
    this.#skipSpace();
    if (this.#text.charAt(this.#at) !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) this.#fail();
  }

  /** Skips the four white-space characters of JSON, and no others. */
  #skipSpace(): void {
    for (;; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  #fail(rule = "must be valid JSON"): never {
    throw new StrictJsonFailure(rule);
  }
}

function indexOrEnd(text: string, sign: string, from: number): number {
  const index = text.indexOf(sign, from);
  return index < 0 ? text.length : index;
}
