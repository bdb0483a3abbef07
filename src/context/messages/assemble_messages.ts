/** Assembles a context in messages: what changes seldom first, then the window, evidence, and the question. */

import { sha256Hex } from "../../canonical/sha256.ts";
import { type Message, validatedMessage } from "../../contracts/message.ts";
import { pinnedDraft, requiredTooLarge } from "../budget_plan.ts";
import { fittingReserves, inputAllowance } from "../configuration.ts";
import { Calibrator } from "../counting/estimate.ts";
import { PartCounter } from "../counting/part_counter.ts";
import { chooseEvidence, type ChosenEvidence } from "../evidence.ts";
import type { AssemblyInput } from "../layers.ts";
import { contentOf, type Draft, EMPTY_DRAFT } from "../rendering.ts";
import { chooseSummary, type ChosenSummary } from "../summary_layer.ts";
import { type MessagesContext, messagesContext } from "./messages_context.ts";
import { loose, type MessagesWindow, planMessages, type PlannedUnit } from "./plan_messages.ts";
import { RequestSize } from "./request_size.ts";
import { Shortener } from "./shorten_message.ts";
import { Units } from "./units.ts";

/** The validated input of an assembly in messages. */
interface MessagesInput extends Omit<AssemblyInput, "question"> {
  /** Null in the middle of a loop: then the model answers the newest message. */
  readonly question: Message | null;
  /** The text that evidence is searched for; null for no evidence. */
  readonly query: string | null;
}

/**
 * Assembles a context.
 *
 * @throws {BudgetError} `REQUIRED_CONTEXT_TOO_LARGE` if system text, pins, tools, the question and one shortened message do
 * not fit
 * @throws {PolicyError} if the counter fails
 */
export async function assembleMessages(input: MessagesInput): Promise<MessagesContext> {
  const units = new Units(input.turns, input.pace);
  try {
    return await new MessagesAssembly(input, units).run();
  } finally {
    await units.close();
  }
}

class MessagesAssembly {
  readonly #input: MessagesInput;
  readonly #units: Units;
  readonly #size: RequestSize;
  readonly #shortener: Shortener;
  readonly #allowance: number;
  readonly #system: Message;
  readonly #pins: readonly Message[];
  readonly #question: readonly Message[];

  constructor(input: MessagesInput, units: Units) {
    const { settings, counter, memory, tools, system, pins, question } = input;
    const parts = new PartCounter(counter, memory);
    this.#input = input;
    this.#units = units;
    this.#size = new RequestSize(parts, new Calibrator(settings.calibration), tools);
    this.#shortener = new Shortener(parts, memory);
    this.#allowance = inputAllowance(settings.budget);
    this.#system = validatedMessage({ messageId: "system", role: "system", content: system });
    this.#pins = dataMessage("pinned", "[PINNED DATA]", pinnedDraft(pins));
    this.#question = question === null ? [] : [question];
  }

  async run(): Promise<MessagesContext> {
    const { settings: { budget, cap, options }, pace, summaries, query } = this.#input;
    const required = [this.#system, ...this.#pins, ...this.#question];
    const requiredTokens = this.#estimated(required);
    if (requiredTokens > this.#allowance) throw requiredTooLarge(requiredTokens, this.#allowance);
    const remaining = this.#allowance - requiredTokens;
    const fitting = fittingReserves(budget, remaining);
    const retrievalTokens = query === null ? 0 : fitting.retrievalReserve;
    const summaryTokens = summaries === null ? 0 : fitting.summaryReserve;
    const roomTokens = this.#serialized(remaining - retrievalTokens - summaryTokens);
    const stride = this.#serialized(this.#allowance - budget.retrievalReserve - budget.summaryReserve);
    const window = await planMessages({
      units: this.#units,
      size: this.#size,
      shortener: this.#shortener,
      capTokens: options.cap ? cap.maxTokens : null,
      strideTokens: Math.min(roomTokens, Math.floor(stride * STRIDE_SHARE)),
      roomTokens,
    });
    pace.check();
    const units = this.#admitted(window);
    const summary = await this.#summarize(units, summaryTokens);
    const evidence = await this.#retrieve(units, summary, retrievalTokens);
    pace.check();
    return this.#finish({ ...window, units }, summary, evidence);
  }

  #estimated(messages: readonly Message[]): number {
    return this.#size.estimated(this.#size.exact(messages).tokens);
  }

  /** About how many serialized tokens so many estimated ones are. */
  #serialized(estimated: number): number {
    return Math.max(
      0,
      Math.floor(estimated / this.#input.settings.calibration.calibrationFactor) - WRAPPING_TOKENS,
    );
  }

  /** The units of a plan that fit exactly, newest first kept; at least the newest. */
  #admitted({ units }: MessagesWindow): readonly PlannedUnit[] {
    for (let from = 0; from < units.length; from++) {
      const rest = units.slice(from);
      const tokens = this.#estimated(this.#request(rest, [], []));
      if (tokens <= this.#allowance) return rest;
      // The newest unit that shows something is never left out.
      if (rest.slice(1).every(({ messages }) => messages.length === 0)) {
        throw requiredTooLarge(tokens, this.#allowance);
      }
    }
    return units;
  }

  /** The messages of a request, in order; evidence stands before the last message of the user. */
  #request(
    units: readonly PlannedUnit[],
    summary: readonly Message[],
    evidence: readonly Message[],
  ): readonly Message[] {
    const before = [this.#system, ...this.#pins, ...summary];
    const rest = [...units.flatMap(({ messages }) => messages), ...this.#question];
    const last = rest.findLastIndex(({ role }) => role === "user");
    const at = last < 0 ? 0 : last;
    const shown = [...rest.slice(0, at), ...evidence, ...rest.slice(at)];
    // Some providers refuse a history that an assistant begins.
    const opening = before.length === 1 && shown[0]?.role === "assistant" ? [EARLIER] : [];
    return [...before, ...opening, ...shown];
  }

  async #summarize(units: readonly PlannedUnit[], reserve: number): Promise<ChosenSummary> {
    const { summaries, settings, turns } = this.#input;
    return await chooseSummary(summaries, {
      omittedTurns: turns.count - turnsOf(units).length,
      hasReserve: reserve > 0,
      takesPrefix: settings.summaryPrefix,
      quotes: true,
      fits: (draft) => this.#estimated(this.#request(units, summaryMessage(draft), [])) <= this.#allowance,
    });
  }

  async #retrieve(
    units: readonly PlannedUnit[],
    summary: ChosenSummary,
    reserve: number,
  ): Promise<ChosenEvidence> {
    const { evidence, settings, turns, pace, query } = this.#input;
    const size = turnsOf(units).length;
    const terms = query === null ? [] : settings.profile.analyzer.queryTerms(query);
    if (terms.length === 0 || reserve === 0 || size >= turns.count) return NOTHING_RETRIEVED;
    const said = summaryMessage(summary.draft);
    const fits = (draft: Draft): boolean =>
      this.#estimated(this.#request(units, said, evidenceMessage(draft))) <= this.#allowance;
    return await chooseEvidence(await evidence.rank(terms, { size, shortened: new Map() }), {
      topK: settings.retrieval.topK,
      misfitsMax: settings.profile.misfitsMax,
      pace,
      fitsReserve: (draft) => this.#size.estimated(this.#size.about(evidenceMessage(draft))) <= reserve,
      fitsRequest: fits,
    });
  }

  #finish(
    { units, degraded }: MessagesWindow,
    summary: ChosenSummary,
    evidence: ChosenEvidence,
  ): MessagesContext {
    const { turns, tools, at } = this.#input;
    const said = summaryMessage(summary.draft);
    const found = evidenceMessage(evidence.draft);
    const messages = this.#request(units, said, found);
    const { tokens, text } = this.#size.exact(messages);
    const keptTurnIds = shownTurns(units);
    const early = 1 + this.#pins.length + said.length + (messages.includes(EARLIER) ? 1 : 0);
    const newest = units.findLast((unit) => unit.messages.length > 0)?.messages.length ?? 0;
    const older = units.reduce((sum, unit) => sum + unit.messages.length, 0) - newest;
    // Evidence changes with each request, and so does the place of all that follows it.
    const stable = found.length === 0 ? early + older : Math.min(early + older, messages.indexOf(found[0]!));
    return messagesContext({
      messages,
      tools,
      cacheBreakpoints: older > 0 ? [early, stable] : [early],
      diagnostics: {
        degraded,
        inputAllowance: this.#allowance,
        estimatedTokens: this.#size.estimated(tokens),
        serializedTokens: tokens,
        requestFingerprint: sha256Hex(text),
        keptTurnIds,
        omittedTurnCount: turns.count - keptTurnIds.length,
        shortenedMessageIds: shortenedIn(units),
        ...loose(units),
        retrievedChunkIds: evidence.chunks.map(({ chunkId }) => chunkId),
        sources: evidence.draft.sources,
        summaryUsed: summary.isUsed,
        evaluatedAt: at.text,
      },
    });
  }
}

/** Stands for what came before a window that an assistant's message begins. */
const EARLIER: Message = validatedMessage({
  messageId: "earlier",
  role: "user",
  content: "[EARLIER MESSAGES ARE LEFT OUT]",
});

/** Tokens of the braces and names around the messages of a request. */
const WRAPPING_TOKENS = 16;

/** The share of the budget within which the start of the window moves; the rest is for system text, pins and question. */
const STRIDE_SHARE = 7 / 8;

const NOTHING_RETRIEVED: ChosenEvidence = { chunks: [], draft: EMPTY_DRAFT, hasMatches: false };

/** Data as a message of the user, which is not the user's words: its first line says what it is. */
function dataMessage(messageId: string, heading: string, draft: Draft): readonly Message[] {
  const text = contentOf(draft);
  if (text === "") return [];
  return [validatedMessage({ messageId, role: "user", content: `${heading}\n${text}` })];
}

function summaryMessage(draft: Draft): readonly Message[] {
  return dataMessage("summary", "[SUMMARY DATA]", draft);
}

function evidenceMessage(draft: Draft): readonly Message[] {
  return dataMessage("retrieved", "[RETRIEVED DATA]", draft);
}

function turnsOf(units: readonly PlannedUnit[]): readonly string[] {
  return units.flatMap(({ unit }) => unit.turns.map(({ turnId }) => turnId));
}

/** The turns of which something is shown. */
function shownTurns(units: readonly PlannedUnit[]): readonly string[] {
  const shown = new Set(units.flatMap(({ messages }) => messages.map(({ messageId }) => messageId)));
  const turns = units.flatMap(({ unit }) => unit.turns);
  return turns.filter(({ messages }) => messages.some(({ messageId }) => shown.has(messageId)))
    .map(({ turnId }) => turnId);
}

function shortenedIn(units: readonly PlannedUnit[]): readonly string[] {
  return units.flatMap(({ unit, messages }) => {
    const given = new Set(unit.messages);
    const known = new Set(unit.messages.map(({ messageId }) => messageId));
    return messages.filter((message) => known.has(message.messageId) && !given.has(message))
      .map(({ messageId }) => messageId);
  });
}
