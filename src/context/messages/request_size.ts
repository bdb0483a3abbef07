/** The size of a request as it is sent: canonical JSON of the messages that the protocol takes, and of the tools. */

import { canonicalJson, type CanonicalValue } from "../../canonical/canonical_json.ts";
import type { Message } from "../../contracts/message.ts";
import type { ToolDefinition } from "../../contracts/tool.ts";
import { toolsWireText } from "../../contracts/wire.ts";
import { openaiChat } from "../../formats/openai_chat.ts";
import type { OpenAIChatMessage } from "../../formats/openai_chat_types.ts";
import type { Calibrator } from "../counting/estimate.ts";
import type { PartCounter } from "../counting/part_counter.ts";

/** Measures requests. */
export class RequestSize {
  readonly #counter: PartCounter;
  readonly #calibrator: Calibrator;
  readonly #tools: string;
  readonly #alone = new WeakMap<Message, number>();

  constructor(counter: PartCounter, calibrator: Calibrator, tools: readonly ToolDefinition[]) {
    this.#counter = counter;
    this.#calibrator = calibrator;
    this.#tools = tools.length === 0 ? "" : `,"tools":${toolsWireText(tools)}`;
  }

  /** About how many tokens messages add to a request. */
  about(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.#tokensAlone(message), 0);
  }

  #tokensAlone(message: Message): number {
    let tokens = this.#alone.get(message);
    if (tokens === undefined) {
      tokens = openaiChat.write([message]).reduce((sum, each) =>
        sum + this.#counter.count(textOf(each)) + 1, 0) +
        mediaTokens(message);
      this.#alone.set(message, tokens);
    }
    return tokens;
  }

  /** Exactly how many tokens a request has, and the text that is counted. */
  exact(messages: readonly Message[]): { readonly tokens: number; readonly text: string } {
    const parts = openaiChat.write(messages).map((each, index) => (index === 0 ? "" : ",") + textOf(each));
    const texts = ['{"messages":[', ...parts, `]${this.#tools}}`];
    const media = messages.reduce((sum, message) => sum + mediaTokens(message), 0);
    return { tokens: this.#counter.countParts(texts) + media, text: texts.join("") };
  }

  /** What a provider may count for so many tokens. */
  estimated(tokens: number): number {
    return this.#calibrator.estimated(tokens);
  }
}

function textOf(message: OpenAIChatMessage): string {
  return canonicalJson(message as unknown as CanonicalValue, "messages");
}

/** What media costs beyond its text: as its part says, or nothing. */
function mediaTokens({ parts = [] }: Message): number {
  return parts.reduce((sum, part) => sum + (part.type === "media" ? part.tokens ?? 0 : 0), 0);
}
