/** The parts of a message's content: text, reasoning, media, structured data, and what only its sender understands. */

import { canonicalJson, type CanonicalObject } from "../canonical/canonical_json.ts";
import type { Json } from "../canonical/plain.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import {
  anyText,
  bytes,
  type Fault,
  fields,
  integer,
  json,
  list,
  oneOf,
  optional,
  refine,
  type Schema,
  text,
  transform,
} from "./validate.ts";
import { Refused } from "./schema.ts";

/** Text. The texts of a message's text parts, joined by a blank line, are its content: what is searched and counted. */
export interface TextPart {
  /** Text. */
  readonly type: "text";
  /** May be empty. */
  readonly text: string;
}

/** A model's reasoning: never indexed, and sent back to its own provider only. */
export interface ReasoningPart {
  /** Reasoning. */
  readonly type: "reasoning";
  /** May be empty. */
  readonly text: string;
  /** The provider's signature over the text. */
  readonly signature?: string;
  /** The provider's encrypted form of the reasoning. */
  readonly encrypted?: string;
}

/** What is known of a file, an image or a recording, wherever its bytes are. */
export interface MediaFacts {
  /** Media. */
  readonly type: "media";
  /** A media type, such as `image/png`. */
  readonly mediaType: string;
  /** Its name. */
  readonly filename?: string;
  /** A description in words. */
  readonly alt?: string;
  /** What it costs, in tokens. */
  readonly tokens?: number;
}

/** A file, an image or a recording: its bytes, where it can be fetched, or a reference to stored bytes. */
export type MediaPart =
  & MediaFacts
  & (
    | {
      readonly data: Uint8Array;
      readonly url?: undefined;
      readonly ref?: undefined;
      readonly bytes?: undefined;
    }
    | {
      readonly url: string;
      readonly data?: undefined;
      readonly ref?: undefined;
      readonly bytes?: undefined;
    }
    | {
      /** SHA-256 of the bytes: 64 lower-case hex digits. */
      readonly ref: string;
      /** How many bytes there are. */
      readonly bytes: number;
      readonly data?: undefined;
      readonly url?: undefined;
    }
  );

/** Structured data, such as the result of a tool. */
export interface DataPart {
  /** Data. */
  readonly type: "data";
  /** What the data is. */
  readonly name: string;
  /** Plain JSON, kept as it is; keys in the order of their code points. */
  readonly json: Json;
}

/** Anything else, in a format that its sender understands: kept as it is, never indexed. */
export interface OpaquePart {
  /** Opaque. */
  readonly type: "opaque";
  /** The format, such as `anthropic`. */
  readonly format: string;
  /** Plain JSON, kept as it is; keys in the order of their code points. */
  readonly json: Json;
}

/** A part of a message's content. */
export type Part = TextPart | ReasoningPart | MediaPart | DataPart | OpaquePart;

const HASH: Schema<string> = refine(
  text,
  (hash) => /^[0-9a-f]{64}$/.test(hash) ? null : [[], "must be 64 lower-case hex digits"],
);

/** The fields of each type of part, besides `type`. */
const SHAPES = {
  text: fields({ type: oneOf(["text"], "must be text"), text: anyText }),
  reasoning: fields({
    type: oneOf(["reasoning"], "must be reasoning"),
    text: anyText,
    signature: optional(anyText),
    encrypted: optional(anyText),
  }),
  media: refine(
    fields({
      type: oneOf(["media"], "must be media"),
      mediaType: text,
      data: optional(bytes),
      url: optional(text),
      ref: optional(HASH),
      bytes: optional(integer(0)),
      filename: optional(text),
      alt: optional(anyText),
      tokens: optional(integer(0)),
    }),
    faultOfMedia,
  ),
  data: fields({ type: oneOf(["data"], "must be data"), name: text, json }),
  opaque: fields({ type: oneOf(["opaque"], "must be opaque"), format: text, json }),
} as const satisfies Readonly<Record<Part["type"], Schema<object>>>;

const TYPE_RULE = `must be ${Object.keys(SHAPES).slice(0, -1).join(", ")} or opaque`;

/** Validates a part. Fields that are absent are left out. */
const partSchema: Schema<Part> = {
  read: (value, way) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Refused([...way], "must be an object");
    }
    const { type } = value as { readonly type?: unknown };
    if (typeof type !== "string" || !Object.hasOwn(SHAPES, type)) {
      throw new Refused([...way, "type"], TYPE_RULE);
    }
    return withoutAbsent(SHAPES[type as Part["type"]].read(value, way)) as unknown as Part;
  },
};

function faultOfMedia(
  media: {
    readonly data?: unknown;
    readonly url?: unknown;
    readonly ref?: unknown;
    readonly bytes?: unknown;
  },
): Fault | null {
  const given = [media.data, media.url, media.ref].filter((source) =>
    source !== undefined && source !== null
  );
  if (given.length !== 1) return [[], "must have exactly one of data, url and ref"];
  const counts = media.bytes !== undefined && media.bytes !== null;
  const isRef = media.ref !== undefined && media.ref !== null;
  return counts === isRef ? null : [["bytes"], "must be there where ref is, and only there"];
}

function withoutAbsent<T extends object>(fields: T): T {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  // A JSON value may be null: it is there.
  if ("json" in fields && fields.json === null) present.push(["json", null]);
  return Object.freeze(Object.fromEntries(present) as T);
}

/** What is searched and counted of parts: the texts of text parts, joined by a blank line. This rule never changes. */
export function joinedText(parts: readonly Part[]): string {
  return parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n\n");
}

/** The canonical JSON of parts, as payloads and digests hold them: media by hash and size, wherever their bytes are. */
export function encodeParts(parts: readonly Part[]): string {
  return `[${parts.map((part) => canonicalJson(storedPart(part), "parts")).join(",")}]`;
}

function storedPart(part: Part): CanonicalObject {
  if (part.type !== "media") return part as unknown as CanonicalObject;
  const { type, mediaType, data, url, ref, bytes, filename, alt, tokens } = part;
  const place = url !== undefined ? { url } : { hash: ref ?? sha256Hex(data!), bytes: bytes ?? data!.length };
  return {
    type,
    media_type: mediaType,
    ...place,
    ...(filename === undefined ? {} : { filename }),
    ...(alt === undefined ? {} : { alt }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/** The names of parts' fields in payloads, with those of their contract where they differ. */
export const STORED_PART_NAMES = { media_type: "mediaType", hash: "ref" } as const;

/** A list of parts, frozen. */
export const partsSchema: Schema<readonly Part[]> = transform(
  list(partSchema),
  (parts) => Object.freeze(parts),
);
