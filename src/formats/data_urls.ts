/** Addresses that hold their bytes. */

import { decodeBase64, encodeBase64 } from "../canonical/base64.ts";

/** Bytes and their media type as an address. */
export function dataUrl(mediaType: string, bytes: Uint8Array): string {
  return `data:${mediaType};base64,${encodeBase64(bytes)}`;
}

/** The media type and bytes of an address that {@linkcode dataUrl} would have written; else null. */
export function readDataUrl(url: string): { readonly mediaType: string; readonly data: Uint8Array } | null {
  const start = url.indexOf(";base64,");
  if (!url.startsWith("data:") || start < "data:".length + 1) return null;
  const mediaType = url.slice("data:".length, start);
  const data = decodeBase64(url.slice(start + ";base64,".length));
  return data === null || mediaType.trim() === "" ? null : { mediaType, data };
}
