/** A turn: messages that belong together and are kept, revised and deleted as one. */

import { codePointLength } from "../canonical/text.ts";
import { Discreet, type Outline } from "./discreet.ts";
import {
  type Argument,
  fields,
  integer,
  list,
  name,
  optional,
  refine,
  type Schema,
  time,
  transform,
  validate,
  validatePlain,
} from "./validate.ts";
import { faultOfIds, type Message, messageSchema, type Metadata, metadataSchema } from "./message.ts";
import type { NewMessage } from "./new_message.ts";
import { type Scope, scopeSchema } from "./scope.ts";

/**
 * A turn as callers write it.
 */
export interface TurnInput {
  /** Identifies the turn; unique in its scope; without U+0000. */
  readonly turnId: string;
  /** Whose turn it is. */
  readonly scope: Scope;
  /** At least one; ids unique. */
  readonly messages: readonly (Message | NewMessage & { readonly messageId: string })[];
  /** From 1; the next one where it is absent: 1 where there is no such turn. */
  readonly revision?: number;
  /**
   * RFC 3339 text with an offset, or a `Date`. Left open where it is absent: a new turn then gets the store's time, a
   * revision keeps the turn's.
   */
  readonly timestamp?: string | Date | null;
  /** Plain JSON of the caller's own. */
  readonly metadata?: Metadata;
}

/**
 * A turn, frozen; made by {@linkcode turn}. Printed, it shows ids and counts.
 */
export interface Turn {
  /** Identifies the turn; unique in its scope; without U+0000. */
  readonly turnId: string;
  /** Whose turn it is. */
  readonly scope: Scope;
  /** At least one; ids unique. */
  readonly messages: readonly Message[];
  /** From 1. */
  readonly revision: number;
  /** ISO text with its own offset; absent while it is open. */
  readonly timestamp?: string;
  /** Plain JSON of the caller's own; absent where there is none. */
  readonly metadata?: Metadata;
}

/**
 * A turn whose time is known: every turn that comes from a store.
 */
export interface TimedTurn extends Turn {
  /** ISO text with its own offset. */
  readonly timestamp: string;
}

/** The fields of a turn that were validated; objects and lists in them are frozen. */
interface TurnFields {
  readonly turnId: string;
  readonly scope: Scope;
  readonly messages: readonly Message[];
  readonly revision: number;
  readonly timestamp?: string;
  readonly metadata?: Metadata;
  /** Whether the revision was left out, so that it means the next one. */
  readonly isRevisionOpen?: boolean;
}

class TurnValue extends Discreet implements Turn {
  readonly turnId: string;
  readonly scope: Scope;
  readonly messages: readonly Message[];
  readonly revision: number;
  declare readonly timestamp?: string;
  declare readonly metadata?: Metadata;
  readonly #isRevisionOpen: boolean;

  constructor({ turnId, scope, messages, revision, timestamp, metadata, isRevisionOpen }: TurnFields) {
    super();
    this.turnId = turnId;
    this.scope = scope;
    this.messages = messages;
    this.revision = revision;
    if (timestamp !== undefined) this.timestamp = timestamp;
    if (metadata !== undefined) this.metadata = metadata;
    this.#isRevisionOpen = isRevisionOpen ?? false;
    Object.freeze(this);
  }

  static is(value: unknown): value is TurnValue {
    return typeof value === "object" && value !== null && #isRevisionOpen in value;
  }

  static isRevisionOpen(turn: Turn): boolean {
    return TurnValue.is(turn) && turn.#isRevisionOpen;
  }

  protected override noun(): string {
    return "Turn";
  }

  protected override outline(): Outline {
    const { turnId, scope, messages, revision, timestamp } = this;
    const characters = messages.reduce((sum, message) => sum + codePointLength(message.content), 0);
    return {
      turnId,
      scope: { ...scope },
      revision,
      ...(timestamp === undefined ? {} : { timestamp }),
      messages: messages.length,
      characters,
    };
  }
}

const turnSchema: Schema<TurnValue> = transform(
  fields({
    turnId: name,
    scope: scopeSchema,
    messages: refine(list(messageSchema), faultOfIds),
    revision: optional(integer(1)),
    timestamp: optional(time),
    metadata: optional(metadataSchema),
  }),
  ({ turnId, scope, messages, revision, timestamp, metadata }) =>
    new TurnValue({
      turnId,
      scope,
      messages: Object.freeze(messages),
      revision: revision ?? 1,
      ...(timestamp ? { timestamp: timestamp.text } : {}),
      ...(metadata ? { metadata } : {}),
      isRevisionOpen: typeof revision !== "number",
    }),
);

/**
 * Makes a turn: validates the fields and freezes them. A missing timestamp stays open until the turn is stored or
 * assembled. A missing revision reads as 1, and means the next one when the turn is stored. Calls and results need not
 * be paired.
 *
 * @throws {ContractError} naming the field, such as `messages[1].toolCallId`
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { turn } from "@holdfast/memory";
 *
 * const greeting = turn({
 *   turnId: "turn-1",
 *   scope: { tenantId: "acme", sessionId: "ticket-4711" },
 *   messages: [{ messageId: "message-1", role: "user", content: "Which flights were booked?" }],
 *   timestamp: "2026-03-01T09:00:00Z",
 * });
 * assert.equal(greeting.revision, 1);
 * assert.equal(greeting.timestamp, "2026-03-01T09:00:00+00:00");
 * assert(!Deno.inspect(greeting).includes("booked")); // printed: ids and counts
 * assert(JSON.stringify(greeting).includes("booked"));
 * ```
 */
export function turn(input: TurnInput): Turn {
  return toTurn(input, "");
}

/**
 * Validates an argument as a turn, made by {@linkcode turn} or plain.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toTurn(value: unknown, field = "turn"): Turn {
  return TurnValue.is(value) ? value : validate(turnSchema, value, { field, noun: "turn" });
}

/** Validates a turn that is plain already, its time carried. Internal: for stored payloads, and turns inside other values. */
export function toPlainTurn(value: unknown, place: Argument): Turn {
  return TurnValue.is(value) ? value : validatePlain(turnSchema, value, place);
}

/** A turn from fields that were validated. Internal: for stored payloads. */
export function validatedTurn(fields: TurnFields & { readonly timestamp: string }): TimedTurn {
  return new TurnValue(fields) as TimedTurn;
}

/** The turn with other messages. */
export function withMessages(turn: Turn, messages: readonly Message[]): Turn {
  return new TurnValue({ ...turn, messages });
}

/** Whether a turn's revision was left out, so that it means the next one. */
export function hasOpenRevision(turn: Turn): boolean {
  return TurnValue.isRevisionOpen(turn);
}

/** The turn, with its time filled in where it is open. `timestamp` is ISO text. */
export function timed(turn: Turn, timestamp: string): TimedTurn {
  return isTimed(turn) ? turn : validatedTurn({ ...turn, timestamp });
}

/** Whether a turn's time is known. */
export function isTimed(turn: Turn): turn is TimedTurn {
  return turn.timestamp !== undefined;
}
