/** CAP for turns: shortens the content of each message separately, and changes nothing else. */

import type { Message } from "../contracts/message.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { elide, findElision } from "./cap.ts";
import type { CapValues } from "./configuration.ts";
import type { CountMemory } from "./counting/count_memory.ts";
import type { LayerDiagnostic } from "./diagnostics.ts";
import type { PartCounter } from "./counting/part_counter.ts";

/** The messages of a turn as the window shows them. */
export interface CappedTurn {
  readonly messages: readonly Message[];
  /** Whether any content was shortened. */
  readonly isShortened: boolean;
}

/** Shortens turns, and remembers where each text was cut. */
export class Capper {
  readonly #cap: CapValues | null;
  readonly #counter: PartCounter;
  readonly #memory: CountMemory;

  /** Creates a capper; with a null cap it shortens nothing. */
  constructor(cap: CapValues | null, counter: PartCounter, memory: CountMemory) {
    this.#cap = cap;
    this.#counter = counter;
    this.#memory = memory;
  }

  /** Returns the turn as the window shows it. */
  capTurn(turn: TimedTurn): CappedTurn {
    const messages = turn.messages.map((message) => this.#capMessage(message, turn.turnId));
    return { messages, isShortened: messages.some((message, index) => message !== turn.messages[index]) };
  }

  #capMessage(message: Message, turnId: string): Message {
    if (this.#cap === null) return message;
    const content = this.#capText(message, this.#cap, turnId);
    return content === message.content ? message : Object.freeze({ ...message, content });
  }

  #capText({ content: text, messageId }: Message, cap: CapValues, turnId: string): string {
    if (this.#counter.count(text) <= cap.maxTokens) return text;
    const key = `${cap.maxTokens}:${cap.headTokens}:${cap.tailTokens}:${text}`;
    const known = this.#memory.capped.get(key);
    const elision = known ?? findElision(text, cap, this.#counter, { turnId, messageId });
    if (elision === null) return text;
    if (known === undefined) this.#memory.capped.set(key, elision);
    return elide(text, elision);
  }
}

/** Reports what CAP did to turns, oldest first. */
export function capDiagnostic(
  turns: readonly (CappedTurn & { readonly turn: TimedTurn })[],
  counter: PartCounter,
): LayerDiagnostic {
  const tokens = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + counter.count(message.content), 0);
  const shortened = turns.filter((turn) => turn.isShortened);
  return {
    layer: "CAP",
    reason: shortened.length > 0 ? "messages_capped" : "unchanged",
    changedTurnIds: shortened.map(({ turn }) => turn.turnId),
    inputTextTokens: turns.reduce((sum, { turn }) => sum + tokens(turn.messages), 0),
    outputTextTokens: turns.reduce((sum, { messages }) => sum + tokens(messages), 0),
  };
}

/** The diagnostic of CAP if it does not run. */
export const CAP_DISABLED: LayerDiagnostic = {
  layer: "CAP",
  reason: "layer_disabled",
  changedTurnIds: [],
  inputTextTokens: 0,
  outputTextTokens: 0,
};
