/** Estimates of whole requests: nothing is ever validated by the size of a block alone. */

import { requestFingerprint } from "../contracts/digest.ts";
import { toolsWireText } from "../contracts/wire.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { type Calibration, Calibrator, SERIALIZER_NAME, type TokenEstimate } from "./counting/estimate.ts";
import type { PartCounter } from "./counting/part_counter.ts";
import { contentOf, type Draft, type Drafts, messagesOf, requestParts } from "./rendering.ts";

/** What requests are measured with. */
interface MeterOptions {
  readonly counter: PartCounter;
  readonly calibration: Calibration;
  /** Part of every request. */
  readonly tools: readonly ToolDefinition[];
}

/** Measures the requests that blocks and a question make. */
export class RequestMeter {
  /** Counts texts. */
  readonly counter: PartCounter;
  /** Turns counts into estimates. */
  readonly calibrator: Calibrator;
  readonly #calibration: Calibration;
  readonly #tools: readonly ToolDefinition[];

  /** Takes counter, calibration and tools. */
  constructor({ counter, calibration, tools }: MeterOptions) {
    this.counter = counter;
    this.calibrator = new Calibrator(calibration);
    this.#calibration = calibration;
    this.#tools = tools;
  }

  /** Tokens of the request as canonical JSON. */
  serializedTokens(drafts: Drafts, question: string): number {
    return this.counter.countParts(requestParts(messagesOf(drafts, question), this.#tools));
  }

  /** What the request is estimated at. */
  estimated(drafts: Drafts, question: string): number {
    return this.calibrator.estimated(this.serializedTokens(drafts, question));
  }

  /** The whole estimate of a request. */
  estimate(drafts: Drafts, question: string): TokenEstimate {
    const messages = messagesOf(drafts, question);
    const parts = requestParts(messages, this.#tools);
    const serializedTokens = this.counter.countParts(parts);
    const estimatedTokens = this.calibrator.estimated(serializedTokens);
    const messageContentTokens = messages.reduce((sum, message) => {
      return sum + this.counter.countParts(message.parts.map((part) => part.text));
    }, 0);
    const toolSchemaTokens = this.#tools.length === 0 ? 0 : this.counter.count(toolsWireText(this.#tools));
    const { calibrationFactor, adapterOverheadTokens } = this.#calibration;
    return Object.freeze({
      estimatedTokens,
      serializedTokens,
      messageContentTokens,
      toolSchemaTokens,
      serializationDeltaTokens: serializedTokens - messageContentTokens - toolSchemaTokens,
      adapterOverheadTokens,
      calibrationPaddingTokens: estimatedTokens - serializedTokens - adapterOverheadTokens,
      calibrationFactor,
      tokenizerName: this.counter.counter.name,
      tokenizerVersion: this.counter.counter.version,
      serializerName: SERIALIZER_NAME,
      requestFingerprint: requestFingerprint(parts.join("")),
      providerAccountingVerified: false,
    });
  }

  /** Tokens of the request as canonical JSON, counted anew and as one text: nothing remembered has a part in it. */
  countAfresh(drafts: Drafts, question: string): number {
    return this.counter.countAfresh(requestParts(messagesOf(drafts, question), this.#tools).join(""));
  }

  /** Tokens of a block's content alone. */
  contentTokens(draft: Draft): number {
    return draft.parts.length > 1
      ? this.counter.countParts(draft.parts.map((part) => part.text))
      : this.counter.count(contentOf(draft));
  }
}
