/** The blocks of Anthropic's messages, one by one. */

import type { MediaPart, Part, ReasoningPart } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { decodeBase64, encodeBase64 } from "../canonical/base64.ts";
import { Carrier, type Entry, type Tag, withFields } from "./carried.ts";
import { differenceOf, isObject } from "./difference.ts";
import { taggedPart } from "./drafts.ts";
import { argumentsObject, dataAsText, namedMedia } from "./spoken.ts";
import { isName, type Item } from "./theirs.ts";

/** What this format carries. */
export const ANTHROPIC: Carrier = new Carrier("anthropic-messages");

/** Where blocks stand: in a message of a role, or in the result of a tool. */
type Place = "system" | "user" | "assistant" | "result";

/** The parts of a block. What would not be written as it was is carried whole. */
export function parseBlock(item: unknown, place: Place): Part[] {
  if (!isObject(item)) return [ANTHROPIC.content(item)];
  if (item.type === "text" && typeof item.text === "string") {
    const part = { type: "text", text: item.text } as const;
    return taggedPart(part, ANTHROPIC, { item, written: part });
  }
  const reasoning = place === "assistant" ? parseReasoning(item) : null;
  if (reasoning !== null) return reasoning;
  const media = place === "user" || place === "result" ? parseMedia(item) : null;
  const written = media === null ? null : writeMedia(media);
  if (media === null || written === null) return [ANTHROPIC.content(item)];
  return taggedPart(media, ANTHROPIC, { item, written });
}

/** The mark that says which provider a reasoning part goes back to is always there. */
function parseReasoning(item: Item): Part[] | null {
  const { type, thinking, signature, data } = item;
  if (type === "redacted_thinking" && typeof data === "string") {
    const part = { type: "reasoning", text: "", encrypted: data } as const;
    const fields = differenceOf(writeReasoning(part, { as: type }), item);
    return [part, ANTHROPIC.origin({ as: type, fields })];
  }
  if (type !== "thinking" || typeof thinking !== "string") return null;
  const part = {
    type: "reasoning",
    text: thinking,
    ...(typeof signature === "string" ? { signature } : {}),
  } as const;
  return [part, ANTHROPIC.origin({ fields: differenceOf(writeReasoning(part, {}), item) })];
}

function writeReasoning({ text, signature, encrypted }: ReasoningPart, tag: Tag): object {
  if (tag.as === "redacted_thinking") return { type: tag.as, data: encrypted ?? "" };
  return { type: "thinking", thinking: text, signature: signature ?? "" };
}

const IMAGES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

function parseMedia({ type, source, title }: Item): MediaPart | null {
  if ((type !== "image" && type !== "document") || !isObject(source)) return null;
  const filename = type === "document" && isName(title) ? { filename: title } : {};
  if (source.type === "url" && isName(source.url)) {
    const mediaType = type === "image" ? "image/*" : "application/pdf";
    return { type: "media", mediaType, url: source.url, ...filename };
  }
  const { media_type: mediaType, data: text } = source;
  if (source.type !== "base64" || !isName(mediaType) || typeof text !== "string") return null;
  const data = decodeBase64(text);
  return data === null ? null : { type: "media", mediaType, data, ...filename };
}

function writeMedia({ mediaType, data, url, filename }: MediaPart): object | null {
  const isImage = mediaType.startsWith("image/");
  if (!isImage && mediaType !== "application/pdf") return null;
  if (data !== undefined && isImage && !IMAGES.includes(mediaType)) return null;
  if ((data ?? url) === undefined) return null;
  const source = data === undefined
    ? { type: "url", url }
    : { type: "base64", media_type: mediaType, data: encodeBase64(data) };
  if (isImage) return { type: "image", source };
  return { type: "document", source, ...(filename === undefined ? {} : { title: filename }) };
}

/** A call as a block. */
export function writeCall({ id, name, arguments: text }: ToolCall): object {
  return { type: "tool_use", id, name, input: argumentsObject(text) };
}

/** What is written of a part, or of the place of a call. */
export function writeEntry(entry: Entry, place: Place, calls: readonly ToolCall[] = []): object[] {
  if (entry.type === "content") return [entry.json as object];
  if (entry.type === "call") {
    return calls.filter(({ id }) => id === entry.tag.id).map((call) =>
      withFields(writeCall(call), entry.tag)
    );
  }
  if (entry.type === "item") return [];
  const { part, tag } = entry;
  switch (part.type) {
    case "text":
      return [withFields(part, tag)];
    case "media": {
      const written = place === "user" || place === "result" ? writeMedia(part) : null;
      return [written === null ? namedMedia(part) : withFields(written, tag)];
    }
    case "data":
      return place === "result" ? [dataAsText(part)] : [];
    case "reasoning":
      return tag === null || place !== "assistant" ? [] : [withFields(writeReasoning(part, tag), tag)];
  }
}
