/** Rules for text: white space, length in Unicode code points, and order by code point. */

/**
 * Whether a code unit is white space in reference 1.2: Unicode's White_Space and U+001C–U+001F. `trim()` keeps those
 * four and U+0085, and removes U+FEFF, which is not white space here.
 */
function isWhite(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit >= 0x1c;
  if (unit < 0x1680) return unit === 0x85 || unit === 0xa0;
  if (unit < 0x2028) return unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a);
  return unit <= 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000;
}

/** Whether a text is empty or has only white space. */
export function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!isWhite(text.charCodeAt(index))) return false;
  }
  return true;
}

/** Returns the number of Unicode code points; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--;
      index++;
    }
  }
  return length;
}

/** Compares two texts by code point, as SQLite compares their UTF-8 bytes. UTF-16 order differs above U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Ranks surrogates above U+FFFF, because every character that begins with a surrogate comes after U+FFFF. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit;
}

/** Returns the text from code point `start` up to, but not including, code point `end`. */
export function sliceCodePoints(text: string, start: number, end: number): string {
  const first = unitOf(text, 0, start);
  return text.slice(first, unitOf(text, first, end - start));
}

/** Returns the UTF-16 index `count` code points after index `from`, at most the length of the text. */
function unitOf(text: string, from: number, count: number): number {
  let index = from;
  for (let left = count; left > 0 && index < text.length; left--) {
    const unit = text.charCodeAt(index++);
    if (unit < 0xd800 || unit > 0xdbff || index === text.length) continue;
    const next = text.charCodeAt(index);
    if (next >= 0xdc00 && next <= 0xdfff) index++;
  }
  return index;
}
