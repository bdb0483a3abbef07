/** Shortens what a message says: head and tail stay, and the middle says how many tokens are left out. */

import { type Message, validatedMessage } from "../../contracts/message.ts";
import { joinedText, type Part } from "../../contracts/part.ts";
import type { ToolCall } from "../../contracts/tool.ts";
import { BudgetError } from "../../errors.ts";
import { elide, findElision } from "../cap.ts";
import { toCap } from "../configuration.ts";
import type { CountMemory } from "../counting/count_memory.ts";
import type { PartCounter } from "../counting/part_counter.ts";

/** Tokens that a shortened text may have at least: a few words, the marker, a few words. */
export const SHORTEST_TOKENS = 24;

/** Shortens messages; what a text becomes depends on it and on the bound alone. */
export class Shortener {
  readonly #counter: PartCounter;
  readonly #memory: CountMemory;

  constructor(counter: PartCounter, memory: CountMemory) {
    this.#counter = counter;
    this.#memory = memory;
  }

  /** The message with each of its texts no longer than so many tokens; itself if they are. Media stays, unless it is bounded. */
  message(message: Message, tokensMax: number, mediaTokensMax: number = Infinity): Message {
    return this.#texts(withoutMedia(message, mediaTokensMax), tokensMax);
  }

  #texts(message: Message, tokensMax: number): Message {
    const { content, parts, toolCalls } = message;
    const calls = toolCalls?.map((call) => this.#call(call, tokensMax));
    const changesCalls = calls?.some((call, index) => call !== toolCalls![index]) ?? false;
    const said = parts === undefined ? content : saidIn(parts);
    const text = this.#text(said, tokensMax);
    if (text === said) {
      return changesCalls ? validatedMessage({ ...message, toolCalls: calls }) : message;
    }
    const rest = parts?.filter(({ type }) => type === "media") ?? [];
    const shortened = { ...message, content: text, ...(changesCalls ? { toolCalls: calls } : {}) };
    return rest.length === 0
      ? validatedMessage({ ...shortened, parts: undefined })
      : validatedMessage({ ...shortened, parts: Object.freeze([{ type: "text", text } as const, ...rest]) });
  }

  #call(call: ToolCall, tokensMax: number): ToolCall {
    const text = this.#text(call.arguments, tokensMax);
    if (text === call.arguments) return call;
    return Object.freeze({ ...call, arguments: JSON.stringify({ shortened: text }) });
  }

  #text(text: string, tokensMax: number): string {
    if (this.#counter.count(text) <= tokensMax) return text;
    const cap = toCap({ maxTokens: tokensMax }, tokensMax);
    const key = `${cap.maxTokens}:${cap.headTokens}:${cap.tailTokens}:${text}`;
    const known = this.#memory.capped.get(key);
    const elision = known ?? elisionOf(() => findElision(text, cap, this.#counter));
    if (elision === null) return text;
    if (known === undefined) this.#memory.capped.set(key, elision);
    return elide(text, elision);
  }
}

/** The message with a text in place of media that costs more than so many tokens. */
function withoutMedia(message: Message, tokensMax: number): Message {
  const { parts = [] } = message;
  const isLarge = (part: Part): boolean => part.type === "media" && (part.tokens ?? 0) > tokensMax;
  if (!parts.some(isLarge)) return message;
  const kept = parts.map((part): Part =>
    part.type === "media" && isLarge(part)
      ? Object.freeze({ type: "text", text: `[${part.mediaType}: left out]` } as const)
      : part
  );
  return validatedMessage({ ...message, content: joinedText(kept), parts: Object.freeze(kept) });
}

/** Null where not even a head, the marker and a tail fit: then the text is short anyway. */
function elisionOf(find: () => ReturnType<typeof findElision>): ReturnType<typeof findElision> {
  try {
    return find();
  } catch (error) {
    if (error instanceof BudgetError) return null;
    throw error;
  }
}

/** What parts say, as text: their texts, and their data as JSON. */
function saidIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return part.type === "data" ? [JSON.stringify(part.json)] : [];
  }).join("\n\n");
}
