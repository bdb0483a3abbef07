/** The content of input messages and results in OpenAI's Responses API. */

import type { Json } from "../canonical/plain.ts";
import type { MediaPart, Part } from "../contracts/part.ts";
import { dataUrl, readDataUrl } from "./data_urls.ts";
import { Carrier, withFields } from "./carried.ts";
import { isObject } from "./difference.ts";
import { taggedPart } from "./drafts.ts";
import { dataAsText, namedMedia, type Spoken, textOf } from "./spoken.ts";
import { isName, type Item } from "./theirs.ts";

/** What this format carries. */
export const RESPONSES: Carrier = new Carrier("openai-responses");

/** The parts of content. */
export function parseContent(
  content: string | readonly Json[],
  takesMedia: boolean,
): { readonly form: string; readonly parts: readonly Part[] } {
  if (typeof content === "string") return { form: "text", parts: [{ type: "text", text: content }] };
  return { form: "parts", parts: content.flatMap((part) => parsePart(part, takesMedia)) };
}

function parsePart(item: Json, takesMedia: boolean): Part[] {
  if (!isObject(item)) return [RESPONSES.content(item)];
  if (item.type === "input_text" && typeof item.text === "string") {
    return taggedPart({ type: "text", text: item.text }, RESPONSES, { item, written: inputText(item.text) });
  }
  const media = takesMedia ? parseMedia(item) : null;
  const written = media === null ? null : writeMedia(media);
  if (media === null || written === null) return [RESPONSES.content(item)];
  return taggedPart(media, RESPONSES, { item, written });
}

function inputText(text: string): object {
  return { type: "input_text", text };
}

function parseMedia(
  { type, image_url: image, file_data: file, file_url: url, filename }: Item,
): MediaPart | null {
  if (type === "input_image" && isName(image)) {
    const held = readDataUrl(image);
    if (held !== null) return held.mediaType.startsWith("image/") ? { type: "media", ...held } : null;
    return image.startsWith("data:") ? null : { type: "media", mediaType: "image/*", url: image };
  }
  if (type !== "input_file") return null;
  const named = isName(filename) ? { filename } : {};
  if (typeof file === "string") {
    const held = readDataUrl(file);
    return held === null || held.mediaType.startsWith("image/") ? null : { type: "media", ...held, ...named };
  }
  return isName(url) ? { type: "media", mediaType: "application/octet-stream", url, ...named } : null;
}

function writeMedia({ mediaType, data, url, filename }: MediaPart): object | null {
  if ((data ?? url) === undefined) return null;
  if (mediaType.startsWith("image/")) {
    return { type: "input_image", detail: "auto", image_url: url ?? dataUrl(mediaType, data!) };
  }
  if (data === undefined) {
    return { type: "input_file", file_url: url, ...(filename === undefined ? {} : { filename }) };
  }
  return { type: "input_file", file_data: dataUrl(mediaType, data), filename: filename ?? "file" };
}

/** The content of a message or result. */
export function writeContent({ role, parts, form }: Spoken): string | object[] {
  const items = RESPONSES.entries(parts).flatMap((entry): object[] => {
    if (entry.type === "content") return [entry.json as object];
    if (entry.type !== "part") return [];
    const { part, tag } = entry;
    if (part.type === "text") return [withFields(inputText(part.text), tag)];
    if (part.type === "data" && role === "tool") return [inputText(dataAsText(part).text)];
    if (part.type !== "media") return [];
    const written = role === "user" || role === "tool" ? writeMedia(part) : null;
    return [written === null ? inputText(namedMedia(part).text) : withFields(written, tag)];
  });
  const isText = (RESPONSES.messageTag(parts).as ?? form) === "text" &&
    parts.every(({ type }) => type === "text" || type === "opaque");
  return isText ? textOf(parts) : items;
}
