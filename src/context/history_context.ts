/** Assembles a context from a validated history in memory. */

import { historyDigest, inputDigest } from "../contracts/digest.ts";
import type { Message } from "../contracts/message.ts";
import { isActive } from "../contracts/pin.ts";
import { type TimedTurn, validatedTurn } from "../contracts/turn.ts";
import { HistoryEvidence } from "../search/history_evidence.ts";
import type { Pace } from "../pace.ts";
import { assemble, type WholeHistory } from "./finish_context.ts";
import type { AssembledContext } from "./assembled_context.ts";
import { capDiagnostic, Capper } from "./capper.ts";
import { CountMemory } from "./counting/count_memory.ts";
import { defaultTokenCounter } from "./counting/default_counter.ts";
import { type ValidatedInput, validateInput } from "./validate_input.ts";
import { PartCounter } from "./counting/part_counter.ts";
import { PolicySummaries } from "./summary_policy.ts";

export { validateInput };

/** Assembles a context from the validated input of `assembleContext`. */
export async function assembleHistory(validated: ValidatedInput): Promise<AssembledContext> {
  const { settings, history, question, pins, scope, at, pace } = validated;
  const counter = validated.counter ?? await defaultTokenCounter();
  pace.check();
  const memory = new CountMemory();
  const cap = settings.profile.capsWholeHistory && settings.options.cap
    ? await capWholeHistory(history, {
      capper: new Capper(settings.cap, new PartCounter(counter, memory), memory),
      pace,
    })
    : null;
  const original = historyDigest(history);
  const working = cap === null ? original : historyDigest(cap.map(({ working }) => working));
  const whole: WholeHistory = {
    turnIds: history.map(({ turnId }) => turnId),
    historyFingerprint: original,
    inputFingerprint: inputDigest({ scope, original, working, pins, question }),
    cap: cap === null ? null : capDiagnostic(cap, new PartCounter(counter, memory)),
  };
  const { profile, retrieval, options } = settings;
  const policy = options.summarize ? validated.policy : null;
  return await assemble({
    ...validated,
    counter,
    memory,
    question: question.content,
    pins: pins.pins.filter((pin) => isActive(pin, at)),
    turns: { count: history.length, newestFirst: () => newestFirst(history) },
    evidence: new HistoryEvidence(history, {
      analyzer: profile.analyzer,
      rules: profile.ranking,
      retrieval,
      pace,
      chunks: validated.chunks,
    }),
    summaries: policy === null ? null : new PolicySummaries(policy, { history, scope, at }),
  }, whole);
}

function* newestFirst(history: readonly TimedTurn[]): Generator<TimedTurn, void, undefined> {
  for (let index = history.length - 1; index >= 0; index--) yield history[index] as TimedTurn;
}

/** Shortens the whole history. */
async function capWholeHistory(history: readonly TimedTurn[], { capper, pace }: {
  readonly capper: Capper;
  readonly pace: Pace;
}): Promise<readonly CappedHistoryTurn[]> {
  const capped: CappedHistoryTurn[] = [];
  for (const turn of history) {
    if (pace.mustYield()) await pace.rest();
    const { messages, isShortened } = capper.capTurn(turn);
    const working = isShortened ? validatedTurn({ ...turn, messages }) : turn;
    capped.push({ turn, working, messages, isShortened });
  }
  return capped;
}

interface CappedHistoryTurn {
  readonly turn: TimedTurn;
  readonly working: TimedTurn;
  readonly messages: readonly Message[];
  readonly isShortened: boolean;
}
