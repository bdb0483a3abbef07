/** The parts of the AI SDK's messages of a page, one by one. */

import type { Json } from "../canonical/plain.ts";
import type { Role } from "../contracts/message.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { MediaPart, Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { dataUrl, readDataUrl } from "./data_urls.ts";
import { Carrier, type Entry, withFields } from "./carried.ts";
import { differenceOf, isObject } from "./difference.ts";
import { taggedPart } from "./drafts.ts";
import { namedMedia, type Spoken, textOf } from "./spoken.ts";
import { isName, type Item } from "./theirs.ts";

/** What this format carries. */
export const UI: Carrier = new Carrier("ai-sdk-ui");

/** The parts of a part of a page's message that is no call. */
export function parseUiPart(item: Json): Part[] {
  if (!isObject(item)) return [UI.content(item)];
  const { type, text, data } = item;
  if (type === "text" && typeof text === "string") {
    const part = { type, text } as const;
    return taggedPart(part, UI, { item, written: part });
  }
  if (type === "reasoning" && typeof text === "string") {
    const part = { type, text } as const;
    return [part, UI.origin({ fields: differenceOf(part, item) })];
  }
  if (typeof type === "string" && type.startsWith("data-") && isName(type.slice(5)) && data !== undefined) {
    const part = { type: "data", name: type.slice(5), json: data } as const;
    return taggedPart(part, UI, { item, written: { type, data } });
  }
  const media = parseFile(item);
  const written = media === null ? null : writeFile(media);
  return media === null || written === null ? [UI.content(item)] : taggedPart(media, UI, { item, written });
}

function parseFile({ type, mediaType, url, filename }: Item): MediaPart | null {
  if (type !== "file" || !isName(mediaType) || !isName(url)) return null;
  const named = isName(filename) ? { filename } : {};
  if (!url.startsWith("data:")) return { type: "media", mediaType, url, ...named };
  const held = readDataUrl(url);
  return held?.mediaType === mediaType ? { type: "media", ...held, ...named } : null;
}

function writeFile({ mediaType, data, url, filename }: MediaPart): object | null {
  const address = data === undefined ? url : dataUrl(mediaType, data);
  if (address === undefined) return null;
  return { type: "file", mediaType, url: address, ...(filename === undefined ? {} : { filename }) };
}

/** What is written of a part that is no call. */
export function writeUiEntry(entry: Entry, role: Role): object[] {
  if (entry.type === "content") return [entry.json as object];
  if (entry.type !== "part") return [];
  const { part, tag } = entry;
  switch (part.type) {
    case "text":
      return [withFields(part, tag)];
    case "media": {
      const written = writeFile(part);
      return [written === null ? namedMedia(part) : withFields(written, tag)];
    }
    case "data":
      return [withFields({ type: `data-${part.name}`, data: part.json }, tag)];
    case "reasoning":
      return tag === null || role === "tool" ? [] : [withFields({ type: "reasoning", text: part.text }, tag)];
  }
}

/** A call that waits for its result. Arguments that are not JSON are the input as text. */
export function writeCall({ id, name, arguments: text }: ToolCall): object {
  return { type: `tool-${name}`, toolCallId: id, state: "input-available", input: jsonOrText(text) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The result that a part of a call holds; null where it holds none. */
export function resultOf(
  item: Item,
  { id, name }: ToolCall,
): (NewMessage & { readonly role: "tool" }) | null {
  const { state, output, errorText, approval } = item;
  const result = { role: "tool", toolCallId: id } as const;
  if (state === "output-available") {
    if (typeof output === "string") return { ...result, content: output };
    return { ...result, content: [{ type: "data", name, json: output as Json ?? null }] };
  }
  if (state === "output-error") {
    return { ...result, isError: true, content: typeof errorText === "string" ? errorText : "" };
  }
  if (state !== "output-denied") return null;
  const reason = isObject(approval) && typeof approval.reason === "string" ? approval.reason : "denied";
  return { ...result, isError: true, content: reason };
}

/** The part of a call with its result: a value of its own, text, or a list of both. */
export function withResult(item: object, { parts, isError }: Spoken): object {
  const said = parts.filter(({ type }) => type !== "opaque" && type !== "reasoning");
  const [only] = said;
  const isText = said.every(({ type }) => type === "text");
  if (isError) {
    return {
      ...item,
      state: "output-error",
      errorText: isText ? textOf(parts) : JSON.stringify(valuesOf(said)),
    };
  }
  const isData = said.length === 1 && only?.type === "data";
  return {
    ...item,
    state: "output-available",
    output: isData ? only.json : isText ? textOf(parts) : valuesOf(said),
  };
}

function valuesOf(parts: readonly Part[]): unknown[] {
  return parts.flatMap((part): unknown[] => {
    if (part.type === "data") return [part.json];
    if (part.type === "media") return [writeFile(part) ?? namedMedia(part)];
    return [part];
  });
}
