/** Slices of text in Unicode code points. */

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
