/** The parts of the AI SDK's model messages, one by one. */

import type { Json } from "../canonical/plain.ts";
import type { Role } from "../contracts/message.ts";
import type { MediaPart, Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { decodeBase64, encodeBase64 } from "../canonical/base64.ts";
import { Carrier, type Entry, withFields } from "./carried.ts";
import { differenceOf, isObject } from "./difference.ts";
import { taggedPart } from "./drafts.ts";
import { namedMedia, type Spoken, textOf } from "./spoken.ts";
import { isName, type Item, jsonOf } from "./theirs.ts";

/** What this format carries. */
export const MODEL: Carrier = new Carrier("ai-sdk-model");

/** The parts of a part of a model message that is no call. */
export function parseModelPart(item: unknown): Part[] {
  const carried = [MODEL.content(jsonOf(item))];
  if (!isObject(item)) return carried;
  const { type, text } = item;
  if (type === "text" && typeof text === "string") {
    const part = { type, text } as const;
    return taggedPart(part, MODEL, { item: jsonOf(item), written: part });
  }
  if (type === "reasoning" && typeof text === "string") {
    const part = { type, text } as const;
    return [part, MODEL.origin({ fields: differenceOf(part, jsonOf(item)) })];
  }
  return parseFile(item) ?? carried;
}

/** The ways in which a file is written: as a part of a type, its bytes or address as they are, as text, or wrapped. */
const WAYS = ["file", "file:text", "file:wrapped", "file:wrapped-text", "image", "image:text"] as const;

function parseFile(item: Item): Part[] | null {
  const { type, mediaType, filename } = item;
  if (type !== "file" && type !== "image") return null;
  const given: unknown = type === "image" ? item.image : item.data;
  const body = isObject(given) ? given.data ?? given.url : given;
  const place = placeOf(body, isObject(given) && given.type === "data");
  if (place === null || (type === "file" && !isName(mediaType))) return null;
  const part = {
    type: "media",
    mediaType: isName(mediaType) ? mediaType : "image/*",
    ...place,
    ...(isName(filename) ? { filename } : {}),
  } as MediaPart;
  for (const as of WAYS) {
    const written = writeFile(part, as);
    if (written === null || differenceOf(given, bodyOf(written)).length > 0 || typeOf(as) !== type) continue;
    const tag = as === "file" ? {} : { as };
    return taggedPart(part, MODEL, {
      item: withoutBody(item),
      written: withoutBody(written as Item),
      ...tag,
    });
  }
  return null;
}

function typeOf(way: string): string {
  return way.split(":")[0]!;
}

function bodyOf(written: object): unknown {
  return "image" in written ? written.image : "data" in written ? written.data : undefined;
}

/** The item as JSON, its bytes or address left out. */
function withoutBody({ data: _data, image: _image, ...others }: Item): Json {
  return jsonOf(others);
}

function placeOf(
  body: unknown,
  isData: boolean,
): { readonly data: Uint8Array } | { readonly url: string } | null {
  if (body instanceof Uint8Array) return { data: body };
  if (body instanceof URL) return { url: body.href };
  if (!isName(body) || body.startsWith("data:")) return null;
  if (!isData && /^[a-z]+:/.test(body)) return { url: body };
  const data = decodeBase64(body);
  return data === null ? null : { data };
}

function writeFile({ mediaType, data, url, filename }: MediaPart, way: string): object | null {
  const [type, how] = way.split(":");
  if (data === undefined && (url === undefined || !URL.canParse(url))) return null;
  const isText = how?.endsWith("text") ?? false;
  const body = data === undefined ? isText ? url : new URL(url!) : isText ? encodeBase64(data) : data;
  const key = data === undefined ? "url" : "data";
  const wrapped = how?.startsWith("wrapped") ? { type: key, [key]: body } : body;
  if (type === "image") return { type, image: wrapped, ...(mediaType === "image/*" ? {} : { mediaType }) };
  return { type: "file", data: wrapped, mediaType, ...(filename === undefined ? {} : { filename }) };
}

/** What is written of a part that is no call. */
export function writeModelEntry(entry: Entry, role: Role): object[] {
  if (entry.type === "content") return [entry.json as object];
  if (entry.type !== "part") return [];
  const { part, tag } = entry;
  switch (part.type) {
    case "text":
      return [withFields(part, tag)];
    case "media": {
      const written = role === "system" ? null : writeFile(part, tag?.as ?? "file");
      return [written === null ? namedMedia(part) : withFields(written, tag)];
    }
    case "data":
      return [];
    case "reasoning":
      return tag === null ? [] : [withFields({ type: "reasoning", text: part.text }, tag)];
  }
}

/** A call. Arguments that are not JSON are the input as text. */
export function writeModelCall({ id, name, arguments: text }: ToolCall): object {
  let input: unknown = text;
  try {
    input = JSON.parse(text);
  } catch {
    // Not JSON: a text, as it is.
  }
  return { type: "tool-call", toolCallId: id, toolName: name, input };
}

/** What a tool put out, as the content of a message. */
export function parseToolOutput(
  output: Json,
  toolName: string,
): { readonly form: string; readonly parts: readonly Part[]; readonly isError: boolean } {
  const type = isObject(output) ? output.type : null;
  const value = isObject(output) ? output.value : null;
  const isError = type === "error-text" || type === "error-json" || type === "execution-denied";
  if ((type === "text" || type === "error-text") && typeof value === "string") {
    return { form: "text", parts: [{ type: "text", text: value }], isError };
  }
  if ((type === "json" || type === "error-json") && value !== undefined) {
    return { form: "parts", parts: [{ type: "data", name: toolName, json: value }], isError };
  }
  if (type === "content" && Array.isArray(value)) {
    return { form: "parts", parts: (value as Json[]).flatMap(parseOutputItem), isError };
  }
  return { form: "output", parts: [MODEL.content(output)], isError };
}

function parseOutputItem(item: Json): Part[] {
  if (!isObject(item)) return [MODEL.content(item)];
  const { type, text, data, url, mediaType, filename } = item;
  if (type === "text" && typeof text === "string") {
    const part = { type, text } as const;
    return taggedPart(part, MODEL, { item, written: part });
  }
  const named = { type: "media", ...(isName(filename) ? { filename } : {}) } as const;
  const bytes = type === "file-data" && typeof data === "string" ? decodeBase64(data) : null;
  const media: MediaPart | null = !isName(mediaType)
    ? null
    : bytes !== null
    ? { ...named, mediaType, data: bytes }
    : type === "file-url" && isName(url)
    ? { ...named, mediaType, url }
    : null;
  return media === null
    ? [MODEL.content(item)]
    : taggedPart(media, MODEL, { item, written: writeOutputMedia(media) });
}

function writeOutputMedia(media: MediaPart): object {
  const { mediaType, data, url, filename } = media;
  if (data !== undefined) {
    const named = filename === undefined ? {} : { filename };
    return { type: "file-data", data: encodeBase64(data), mediaType, ...named };
  }
  return url === undefined ? namedMedia(media) : { type: "file-url", url, mediaType };
}

/** What a tool put out. */
export function writeToolOutput({ parts, form, isError }: Spoken): unknown {
  const entries = MODEL.entries(parts);
  const said = MODEL.messageTag(parts).as ?? form;
  const [first] = entries;
  if (said === "output" && first?.type === "content") return first.json;
  if (entries.length === 1 && first?.type === "part" && first.part.type === "data") {
    return { type: isError ? "error-json" : "json", value: first.part.json };
  }
  const isText = entries.every((entry) => entry.type === "part" && entry.part.type === "text");
  if (isText && (said === "text" || isError)) {
    return { type: isError ? "error-text" : "text", value: textOf(parts) };
  }
  return { type: "content", value: entries.flatMap(writeOutputEntry) };
}

function writeOutputEntry(entry: Entry): object[] {
  if (entry.type === "content") return [entry.json as object];
  if (entry.type !== "part") return [];
  const { part, tag } = entry;
  if (part.type === "text") return [withFields(part, tag)];
  if (part.type === "media") return [withFields(writeOutputMedia(part), tag)];
  return part.type === "data" ? [{ type: "text", text: JSON.stringify(part.json) }] : [];
}
