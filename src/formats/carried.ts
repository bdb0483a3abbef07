/**
 * What a format carries in `opaque` parts, so that it goes back unchanged: items that it does not know, and what else
 * was in items that it does know. Only the format that made such a part reads it; every other leaves it out.
 *
 * | format of the part | what its JSON is                                                                     |
 * | ------------------ | ------------------------------------------------------------------------------------ |
 * | `NAME`             | an item of the list that the format's `parse` takes                                  |
 * | `NAME:part`        | an item of a message's content                                                       |
 * | `NAME:fields`      | how the item of the part before it was written, and its fields that no part has      |
 * | `NAME:call`        | the place of a call among the parts, and its fields that no call has                 |
 * | `NAME:message`     | how the message was written, and its fields that no message of a store has           |
 */

import type { Json } from "../canonical/plain.ts";
import type { OpaquePart, Part } from "../contracts/part.ts";
import { type Difference, isDifference, isObject, withDifference } from "./difference.ts";

/** How an item was written where there is more than one way, and what else was in it. */
export interface Tag {
  readonly as?: string;
  readonly fields?: Difference;
  /** Whether a message is written into the same item as the one before it, where that is not what would be done anyway. */
  readonly joins?: boolean;
  /** What else was in the item that a message begins, where several messages make one item. */
  readonly outer?: Difference;
}

/** The place of a call, and how it was written. */
interface CallTag extends Tag {
  readonly id: string;
}

/** A part with what is said about it, or the place of a call. */
export type Entry =
  | { readonly type: "part"; readonly part: Exclude<Part, OpaquePart>; readonly tag: Tag | null }
  | { readonly type: "item"; readonly json: Json }
  | { readonly type: "content"; readonly json: Json }
  | { readonly type: "call"; readonly tag: CallTag };

/** The carried parts of one format. */
export class Carrier {
  /** The format's name. */
  readonly format: string;

  constructor(format: string) {
    this.format = format;
  }

  /** An item of the format's own list. */
  item(json: unknown): OpaquePart {
    return this.#opaque("", json);
  }

  /** An item of a message's content. */
  content(json: unknown): OpaquePart {
    return this.#opaque(":part", json);
  }

  /** What is said about the part before it; nothing where there is nothing to say. */
  fields(tag: Tag): readonly OpaquePart[] {
    return isEmpty(tag) ? [] : [this.#opaque(":fields", shortened(tag))];
  }

  /** The same where that it is there says which format a part is from. */
  origin(tag: Tag): OpaquePart {
    return this.#opaque(":fields", shortened(tag));
  }

  /** The place of a call. */
  call(tag: CallTag): OpaquePart {
    return this.#opaque(":call", { id: tag.id, ...shortened(tag) });
  }

  /** What is said about the message; nothing where there is nothing to say. */
  message(tag: Tag): readonly OpaquePart[] {
    return isEmpty(tag) ? [] : [this.#opaque(":message", shortened(tag))];
  }

  #opaque(suffix: string, json: unknown): OpaquePart {
    return { type: "opaque", format: `${this.format}${suffix}`, json: json as Json };
  }

  /** What this format writes of parts, in their order. */
  entries(parts: readonly Part[]): Entry[] {
    return parts.flatMap((part, index): Entry[] => {
      if (part.type !== "opaque") return [{ type: "part", part, tag: this.#tagAfter(parts, index) }];
      if (part.format === this.format) return [{ type: "item", json: part.json }];
      if (part.format === `${this.format}:part`) return [{ type: "content", json: part.json }];
      const isCall = part.format === `${this.format}:call` && isObject(part.json);
      return isCall ? [{ type: "call", tag: part.json as unknown as CallTag }] : [];
    });
  }

  #tagAfter(parts: readonly Part[], index: number): Tag | null {
    const next = parts[index + 1];
    return next?.type === "opaque" && next.format === `${this.format}:fields` ? next.json as Tag : null;
  }

  /** What is said about the message that has these parts. */
  messageTag(parts: readonly Part[]): Tag {
    const said = parts.find((part) => part.type === "opaque" && part.format === `${this.format}:message`);
    return said?.type === "opaque" && isObject(said.json) ? said.json as Tag : {};
  }
}

function isEmpty(tag: Tag): boolean {
  return Object.keys(shortened(tag)).length === 0;
}

function shortened({ as, fields = [], joins, outer = [] }: Tag): Tag {
  return {
    ...(as === undefined ? {} : { as }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(joins === undefined ? {} : { joins }),
    ...(outer.length === 0 ? {} : { outer }),
  };
}

/** An item with the fields that were carried for it. */
export function withFields<T>(item: T, tag: Tag | null): T {
  const fields = tag?.fields;
  return fields !== undefined && isDifference(fields) ? withDifference(item, fields) as T : item;
}
