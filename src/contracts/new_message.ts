/** Messages as callers write them: a discriminated union, so that shapes that are not valid do not compile. */

import type { Json } from "../canonical/plain.ts";
import type { Message, Metadata } from "./message.ts";
import type { Part } from "./part.ts";

/** The content of a message: text, a list of parts, or null for an assistant that only calls tools. */
export type Content = string | null | readonly Part[];

/** A call that an assistant's message makes, as callers write it. */
export interface NewToolCall {
  /** Identifies the call until it is answered; an id that was answered may be used again. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** Text, kept as it is, whether or not it is JSON; any other JSON value is kept as compact JSON. */
  readonly arguments: string | Json;
}

/** What every new message may have. */
export interface NewMessageFacts {
  /** Identifies the message; unique in its scope; without U+0000; chosen where it is absent. */
  readonly messageId?: string;
  /** The name of who speaks. */
  readonly name?: string;
  /** Plain JSON of the caller's own: stored and returned, never indexed, never sent to a model. */
  readonly metadata?: Metadata;
}

/** Messages as they may be passed: new ones, or such as were read back. */
export type NewMessages = readonly NewMessage[] | readonly (Message | NewMessage)[];

/** A message whose id the store may choose. */
export type NewMessage =
  & NewMessageFacts
  & (
    | {
      readonly role: "system" | "developer" | "user";
      readonly content: string | readonly Part[];
      readonly toolCalls?: undefined;
      readonly toolCallId?: undefined;
      readonly isError?: undefined;
    }
    | {
      readonly role: "assistant";
      /** Null where the message only calls tools; empty text where it is absent. */
      readonly content?: Content;
      /** The calls that it makes. */
      readonly toolCalls?: readonly NewToolCall[];
      readonly toolCallId?: undefined;
      readonly isError?: undefined;
    }
    | {
      readonly role: "tool";
      /** The call that it answers. */
      readonly toolCallId: string;
      readonly content: string | readonly Part[];
      /** Whether the tool failed. */
      readonly isError?: boolean;
      readonly toolCalls?: undefined;
    }
  );
