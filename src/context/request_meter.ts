/** Estimates whole requests. No decision depends on the size of a single block. */

import { requestFingerprint } from "../contracts/digest.ts";
import { toolsWireText } from "../contracts/wire.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { type Calibration, Calibrator, SERIALIZER_NAME, type TokenEstimate } from "./counting/estimate.ts";
import type { PartCounter } from "./counting/part_counter.ts";
import { contentOf, type Draft, type Drafts, messagesOf, requestParts } from "./rendering.ts";

/** The options of a meter. */
interface MeterOptions {
  readonly counter: PartCounter;
  readonly calibration: Calibration;
  /** The tools, which are part of every request. */
  readonly tools: readonly ToolDefinition[];
}

/** Measures the requests of blocks and a question. */
export class RequestMeter {
  /** Counts texts. */
  readonly counter: PartCounter;
  /** Turns counts into estimates. */
  readonly calibrator: Calibrator;
  readonly #calibration: Calibration;
  readonly #tools: readonly ToolDefinition[];

  /** Creates a meter. */
  constructor({ counter, calibration, tools }: MeterOptions) {
    this.counter = counter;
    this.calibrator = new Calibrator(calibration);
    this.#calibration = calibration;
    this.#tools = tools;
  }

  /** Returns the tokens of the request as canonical JSON. */
  serializedTokens(drafts: Drafts, question: string): number {
    return this.counter.countParts(requestParts(messagesOf(drafts, question), this.#tools));
  }

  /** Returns the estimated tokens of the request. */
  estimated(drafts: Drafts, question: string): number {
    return this.calibrator.estimated(this.serializedTokens(drafts, question));
  }

  /** Returns the estimate of the request, with all its parts. */
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

  /** Returns the tokens of the request as canonical JSON, counted as one text and without caches. */
  countAfresh(drafts: Drafts, question: string): number {
    return this.counter.countAfresh(requestParts(messagesOf(drafts, question), this.#tools).join(""));
  }

  /** Returns the tokens of the content of a block alone. */
  contentTokens(draft: Draft): number {
    return draft.parts.length > 1
      ? this.counter.countParts(draft.parts.map((part) => part.text))
      : this.counter.count(contentOf(draft));
  }
}
