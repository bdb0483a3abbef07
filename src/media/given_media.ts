/** Media that comes with messages: its bytes are taken out of them before anything is written. */

import { sha256Hex } from "../canonical/sha256.ts";
import { type MessageDraft, validatedMessage } from "../contracts/message.ts";
import type { MediaPart, Part } from "../contracts/part.ts";
import { ContractError } from "../errors.ts";

/** Bytes that were given, by their reference. */
export type GivenMedia = ReadonlyMap<string, Uint8Array>;

/** Messages without bytes, and the bytes. */
interface Taken<M> {
  readonly messages: readonly M[];
  readonly media: GivenMedia;
}

const NO_MEDIA: GivenMedia = new Map();

/** Takes the bytes out of messages: their parts then refer to them. The bytes are copied, since a caller could change them. */
export function takeMedia<M extends MessageDraft>(messages: readonly M[]): Taken<M> {
  if (!messages.some(({ parts }) => parts?.some(hasBytes))) return { messages, media: NO_MEDIA };
  const media = new Map<string, Uint8Array>();
  const taken = messages.map((message) =>
    message.parts?.some(hasBytes)
      ? validatedMessage({
        ...message,
        parts: Object.freeze(message.parts.map((part) => referred(part, media))),
      })
      : message
  );
  return { messages: taken as unknown as readonly M[], media };
}

function hasBytes(part: Part): boolean {
  return part.type === "media" && part.data !== undefined;
}

function referred(part: Part, media: Map<string, Uint8Array>): Part {
  if (part.type !== "media" || part.data === undefined) return part;
  const { data: given, ...facts } = part;
  const data = given.slice();
  const ref = sha256Hex(data);
  media.set(ref, data);
  return Object.freeze({ ...facts, ref, bytes: data.length });
}

/** Requires a reference to media. */
export function requireRef(value: unknown): string {
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
  throw new ContractError("ref", "Expected ref to be 64 lower-case hex digits");
}

/** What a message's part refers to. */
export interface Cited {
  readonly ref: string;
  readonly bytes: number;
  /** The path of the part, below the messages. */
  readonly path: string;
}

/** What the parts of messages refer to, each once. */
export function citedMedia(messages: readonly MessageDraft[]): readonly Cited[] {
  const cited = new Map<string, Cited>();
  for (const [index, { parts = [] }] of messages.entries()) {
    for (const [position, part] of parts.entries()) {
      if (!isCitation(part) || cited.has(part.ref)) continue;
      cited.set(part.ref, { ref: part.ref, bytes: part.bytes, path: `[${index}].content[${position}]` });
    }
  }
  return [...cited.values()];
}

function isCitation(part: Part): part is MediaPart & { readonly ref: string; readonly bytes: number } {
  return part.type === "media" && part.ref !== undefined;
}

/** Requires that a turn does not have more media than it may. */
export function requireMediaBytes(messages: readonly MessageDraft[], field: string, bytesMax: number): void {
  const bytes = citedMedia(messages).reduce((sum, each) => sum + each.bytes, 0);
  if (bytes <= bytesMax) return;
  throw new ContractError(
    field,
    `Expected ${field} to have at most ${bytesMax} bytes of media; limits.mediaBytesPerTurn of openMemory raises this`,
    { details: { bytes, bytesMax, option: "limits.mediaBytesPerTurn" } },
  );
}
