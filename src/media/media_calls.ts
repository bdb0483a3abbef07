/** The calls that return the bytes of media. */

import { type Message, validatedMessage } from "../contracts/message.ts";
import type { Part } from "../contracts/part.ts";
import { ConflictError } from "../errors.ts";
import type { StoreAccess } from "../scopes/store_access.ts";
import { citedMedia } from "./given_media.ts";
import { loadMedia, locateMedia } from "./read_media.ts";

/** Reads media by its reference. */
export async function readMedia(
  access: StoreAccess,
  ref: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { media } = await access.readUpkept(
    (transaction, { atMs }) => locateMedia(transaction, access.place, { ref, atMs }),
    signal,
  );
  const data = media === null ? null : await loadMedia((factory) => access.read(factory, signal), media);
  if (data !== null) return data;
  throw new ConflictError("MISSING", "Cannot read media: no message of the conversation refers to it");
}

/** Messages with bytes in place of references. */
export async function filledIn(
  access: StoreAccess,
  messages: readonly Message[],
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const media = new Map<string, Uint8Array>();
  for (const { ref } of citedMedia(messages)) media.set(ref, await readMedia(access, ref, signal));
  return messages.map((message) =>
    message.parts === undefined ? message : validatedMessage({
      ...message,
      parts: Object.freeze(message.parts.map((part) => filled(part, media))),
    })
  );
}

function filled(part: Part, media: ReadonlyMap<string, Uint8Array>): Part {
  if (part.type !== "media" || part.ref === undefined) return part;
  const { ref, bytes: _, ...facts } = part;
  return Object.freeze({ ...facts, data: media.get(ref)! });
}
