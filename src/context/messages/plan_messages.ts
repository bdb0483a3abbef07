/**
 * Plans the window of a context in messages. It starts where it started before, as long as that fits, and holds the newest
 * unit in any case: shortened, and in the last resort without its oldest steps.
 */

import { isBlank } from "../../canonical/text.ts";
import { sha256Hex } from "../../canonical/sha256.ts";
import type { Message } from "../../contracts/message.ts";
import { pairCalls } from "../../contracts/pairing.ts";
import { isComplete, openCalls, pairWindow, shownMessages } from "../paired_window.ts";
import { type Shortener, SHORTEST_TOKENS } from "./shorten_message.ts";
import type { RequestSize } from "./request_size.ts";
import type { Unit, Units } from "./units.ts";

/** What a window lost for want of room, in the order in which it was given up. */
export interface Degradation {
  /**
   * - `results_shortened`: results of tools in the newest turns, more than `cap` says
   * - `messages_shortened`: other messages and arguments of the newest turns as well
   * - `steps_left_out`: the oldest steps of the newest turns
   */
  readonly kind: "results_shortened" | "messages_shortened" | "steps_left_out";
  /** The messages, oldest first. */
  readonly messageIds: readonly string[];
}

/** A window: units as they are shown, oldest first. */
export interface MessagesWindow {
  readonly units: readonly PlannedUnit[];
  readonly degraded: readonly Degradation[];
}

/** A unit with what is shown of it. */
export interface PlannedUnit {
  readonly unit: Unit;
  /** Those of its messages that are planned, shortened where they have to be. */
  readonly given: readonly Message[];
  /** What the request shows of them, each result after its call. */
  readonly messages: readonly Message[];
  /** About how many tokens they add to the request. */
  readonly tokens: number;
}

/** How a window is planned. */
interface WindowPlan {
  readonly units: Units;
  readonly size: RequestSize;
  readonly shortener: Shortener;
  /** Tokens that any text of the window may have; null shortens nothing. */
  readonly capTokens: number | null;
  /** Tokens by which the start is chosen: they follow from the budget alone, so that the start stays from one request to the next. */
  readonly strideTokens: number;
  /** Tokens that the other parts of this request leave for the window. */
  readonly roomTokens: number;
}

/** Plans a window. */
export async function planMessages(plan: WindowPlan): Promise<MessagesWindow> {
  // Units of which nothing is shown: results whose calls are gone.
  const nothing: PlannedUnit[] = [];
  let newest = await plan.units.next();
  while (newest !== null && shownUnit(plan, newest, null).messages.length === 0) {
    nothing.push(shownUnit(plan, newest, null));
    newest = await plan.units.next();
  }
  if (newest === null) return { units: nothing.reverse(), degraded: [] };
  const before = await plan.units.next();
  const shown = before === null ? null : shownUnit(plan, before, plan.capTokens);
  // Room is spared only for a unit that then fits.
  const spared = shown === null || shown.tokens > plan.roomTokens / 4 ? 0 : shown.tokens;
  const { unit, degraded } = fitted(plan, newest, plan.roomTokens, spared);
  const found = [unit];
  let tokens = unit.tokens;
  let isWhole = shown === null;
  for (let next = shown; next !== null && tokens + next.tokens <= plan.roomTokens;) {
    tokens += next.tokens;
    found.push(next);
    const following: Unit | null = await plan.units.next();
    isWhole = following === null;
    next = following === null ? null : shownUnit(plan, following, plan.capTokens);
  }
  const kept = isWhole ? found : found.slice(0, startOf(plan, found));
  return { units: [...kept.reverse(), ...nothing.reverse()], degraded };
}

/**
 * How many of the newest units the window has. Of all starts whose units have between half and all of the stride, it is
 * the one whose id has the least hash: the same start, until a newer one is less, or it no longer fits.
 */
function startOf({ strideTokens }: WindowPlan, found: readonly PlannedUnit[]): number {
  let tokens = 0;
  let best = { size: 1, hash: "" };
  let largest = 1;
  for (const [index, { unit, tokens: own }] of found.entries()) {
    tokens += own;
    if (tokens > strideTokens) break;
    largest = index + 1;
    if (tokens < strideTokens / 2) continue;
    const hash = sha256Hex(unit.id);
    if (best.hash === "" || hash < best.hash) best = { size: index + 1, hash };
  }
  return best.hash === "" ? largest : best.size;
}

function shownUnit(plan: WindowPlan, unit: Unit, capTokens: number | null): PlannedUnit {
  const messages = capTokens === null
    ? unit.messages
    : unit.messages.map((message) => plan.shortener.message(message, capTokens));
  return planned(plan, unit, messages);
}

function planned({ size }: WindowPlan, unit: Unit, given: readonly Message[]): PlannedUnit {
  const shown = { messages: given, isComplete: isComplete(given) };
  const messages = shownMessages(shown, pairWindow([shown])).filter(saysSomething);
  return { unit, given, messages, tokens: size.about(messages) };
}

/**
 * Whether a message says anything to a model; providers refuse one that does not: an answer that ended at once, or of which
 * there is only the reasoning.
 */
function saysSomething({ role, content, parts = [], toolCalls }: Message): boolean {
  return role === "tool" || toolCalls !== undefined || !isBlank(content) ||
    parts.some(({ type }) => type !== "text" && type !== "reasoning");
}

/** The newest unit so that it fits, with room for the one before if that can be. */
function fitted(
  plan: WindowPlan,
  unit: Unit,
  roomTokens: number,
  sparedTokens: number,
): { readonly unit: PlannedUnit; readonly degraded: readonly Degradation[] } {
  const whole = shownUnit(plan, unit, plan.capTokens);
  if (whole.tokens + sparedTokens <= roomTokens) return { unit: whole, degraded: [] };
  const degraded: Degradation[] = [];
  let messages = unit.messages.map((message) =>
    plan.capTokens === null ? message : plan.shortener.message(message, plan.capTokens)
  );
  for (const kind of ["results_shortened", "messages_shortened"] as const) {
    const concerns = (message: Message): boolean =>
      kind === "messages_shortened" || message.toolCallId !== undefined;
    const shorter = longestFitting(Math.floor(roomTokens / 2), (bound) => {
      const candidate = messages.map((message) =>
        concerns(message) ? plan.shortener.message(message, bound, bound) : message
      );
      const fits = planned(plan, unit, candidate).tokens + sparedTokens <= roomTokens;
      return { candidate, fits };
    });
    const changed = shorter.filter((message, index) => message !== messages[index]);
    if (changed.length > 0) degraded.push({ kind, messageIds: changed.map(({ messageId }) => messageId) });
    messages = shorter;
    const fitting = planned(plan, unit, messages);
    if (fitting.tokens + sparedTokens <= roomTokens) return { unit: fitting, degraded };
  }
  // The unit before cannot be kept as well: this one need not be shortened for it.
  if (sparedTokens > 0) return fitted(plan, unit, roomTokens, 0);
  return withoutOldestSteps(plan, { unit, messages, degraded }, roomTokens);
}

/** Halvings between a bound that fits and twice as much: an eighth more is not worth another try. */
const REFINEMENTS = 3;

/** The candidate of about the greatest bound that fits; that of the least bound if none does. */
function longestFitting<T>(
  boundMax: number,
  attempt: (bound: number) => { readonly candidate: T; readonly fits: boolean },
): T {
  let bound = Math.max(SHORTEST_TOKENS, boundMax);
  let found = attempt(bound);
  while (!found.fits && bound > SHORTEST_TOKENS) {
    bound = Math.max(SHORTEST_TOKENS, Math.floor(bound / 2));
    found = attempt(bound);
  }
  if (!found.fits || bound >= boundMax) return found.candidate;
  for (let low = bound, step = 0, high = Math.min(boundMax, 2 * bound); step < REFINEMENTS; step++) {
    const middle = Math.floor((low + high) / 2);
    const tried = attempt(middle);
    if (tried.fits) [low, found] = [middle, tried];
    else high = middle;
  }
  return found.candidate;
}

/** Leaves out the oldest steps: a message with its calls, and their results. */
function withoutOldestSteps(
  plan: WindowPlan,
  { unit, messages, degraded }: {
    readonly unit: Unit;
    readonly messages: readonly Message[];
    readonly degraded: readonly Degradation[];
  },
  roomTokens: number,
): { readonly unit: PlannedUnit; readonly degraded: readonly Degradation[] } {
  for (let from = 0; from < messages.length; from++) {
    const rest = messages.slice(from);
    const fitting = planned(plan, unit, rest);
    const isLast = rest.slice(1).every(({ toolCallId }) => toolCallId !== undefined);
    if (fitting.messages.length === 0 || (fitting.tokens > roomTokens && !isLast)) continue;
    if (from === 0) return { unit: fitting, degraded };
    const shown = new Set(fitting.messages.map(({ messageId }) => messageId));
    const left = messages.filter(({ messageId }) => !shown.has(messageId));
    const messageIds = left.map(({ messageId }) => messageId);
    return { unit: fitting, degraded: [...degraded, { kind: "steps_left_out", messageIds }] };
  }
  return { unit: planned(plan, unit, messages), degraded };
}

/** Calls that the window shows as interrupted, and results that it leaves out, by their ids. */
export function loose(units: readonly PlannedUnit[]): {
  readonly interruptedCallIds: readonly string[];
  readonly omittedResultIds: readonly string[];
} {
  const turns = units.map(({ given }) => ({ messages: given, isComplete: isComplete(given) }));
  const orphans = units.flatMap(({ given }) => [...pairCalls(given).orphans]);
  const calls = turns.flatMap((turn) => openCalls([turn], pairWindow([turn])));
  return {
    interruptedCallIds: calls.map(({ id }) => id),
    omittedResultIds: orphans.map(({ messageId }) => messageId),
  };
}
