/** Where a piece of text was taken from. */

import { contentHash } from "./digest.ts";
import { codePointLength, sliceCodePoints } from "../canonical/text.ts";
import { fields, integer, optional, refine, refusal, type Schema, text, transform } from "./validate.ts";
import { sameScope, type Scope, scopeSchema } from "./scope.ts";
import type { Turn } from "./turn.ts";

/** A range of one message's content, or of the arguments of one of its calls, in Unicode code points, with what is needed to prove it. */
export interface SourceRef {
  /** Whose turn it is. */
  readonly scope: Scope;
  /** The turn. */
  readonly turnId: string;
  /** The message in the turn. */
  readonly messageId: string;
  /** The call whose arguments are meant; absent where the content is. */
  readonly toolCallId?: string;
  /** The turn's revision, from 1. */
  readonly revision: number;
  /** The first code point, from 0. */
  readonly start: number;
  /** The code point after the last; above `start`. */
  readonly end: number;
  /** SHA-256 of the whole content or of the whole arguments, 64 lower-case hex digits. */
  readonly messageHash: string;
}

const hashText: Schema<string> = refine(
  text,
  (hash) => /^[0-9a-f]{64}$/.test(hash) ? null : [[], "must be 64 lower-case hex digits"],
);

/** Validates a source. */
export const sourceRefSchema: Schema<SourceRef> = transform(
  refine(
    fields({
      scope: scopeSchema,
      turnId: text,
      messageId: text,
      toolCallId: optional(text),
      revision: integer(1),
      start: integer(0),
      end: integer(0),
      messageHash: hashText,
    }),
    ({ start, end }) => end > start ? null : [["end"], "must be above start"],
  ),
  ({ toolCallId, ...source }) =>
    Object.freeze(typeof toolCallId === "string" ? { ...source, toolCallId } : source),
);

/** The whole content of a turn's message as a source; null where it is empty. */
export function wholeMessage(turn: Turn, message: Turn["messages"][number]): SourceRef | null {
  if (message.content === "") return null;
  return Object.freeze({
    scope: turn.scope,
    turnId: turn.turnId,
    messageId: message.messageId,
    revision: turn.revision,
    start: 0,
    end: codePointLength(message.content),
    messageHash: contentHash(message),
  });
}

/**
 * The text that a source names in its turn.
 *
 * @throws {ContractError} naming what does not fit: scope, turn id, revision, message id, call, hash or range
 */
export function extract(source: SourceRef, turn: Turn, field = "source"): string {
  const place = { field, noun: "source" };
  if (!sameScope(source.scope, turn.scope)) throw refusal(place, ["scope"], "must be the turn's scope");
  if (source.turnId !== turn.turnId) throw refusal(place, ["turnId"], "must be the turn's id");
  if (source.revision !== turn.revision) throw refusal(place, ["revision"], "must be the turn's revision");
  const message = turn.messages.find((candidate) => candidate.messageId === source.messageId);
  if (message === undefined) throw refusal(place, ["messageId"], "must name a message of the turn");
  const { toolCallId } = source;
  const call = message.toolCalls?.find(({ id }) => id === toolCallId);
  if (toolCallId !== undefined && call === undefined) {
    throw refusal(place, ["toolCallId"], "must name a call of the message");
  }
  const content = call === undefined ? message.content : call.arguments;
  if (contentHash({ content }) !== source.messageHash) {
    throw refusal(place, ["messageHash"], "must be the hash of the message's content");
  }
  if (source.end > codePointLength(content)) throw refusal(place, ["end"], "must lie within the message");
  return sliceCodePoints(content, source.start, source.end);
}
