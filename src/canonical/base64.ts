/** Bytes as base64. */

/** Bytes that are turned into text at a time: what a call takes as arguments is bounded. */
const BYTES_AT_A_TIME = 8_192;

/** The base64 of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += BYTES_AT_A_TIME) {
    text += String.fromCharCode(...bytes.subarray(start, start + BYTES_AT_A_TIME));
  }
  return btoa(text);
}

/** The bytes of base64; null where the text is not what {@linkcode encodeBase64} would have written. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return encodeBase64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
