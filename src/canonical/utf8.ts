/** Sizes of text in UTF-8. */

/** Returns the number of UTF-8 bytes of a text; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || isInPair(text, index) ? 1 : 2;
  }
  return bytes;
}

/** Whether a text has more than `bytesMax` UTF-8 bytes. Counts them only if the length does not decide already. */
export function exceedsBytes(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && utf8Length(text) > bytesMax;
}

/** Whether a code unit is half of a surrogate pair: each half counts for two of the pair's four bytes. */
function isInPair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdfff) return false;
  const other = text.charCodeAt(unit < 0xdc00 ? index + 1 : index - 1);
  return unit < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other <= 0xdbff;
}
