/** The newest turns, read one by one and no further than they are needed. */

import { quote } from "../canonical/canonical_json.ts";
import { messageWireText } from "../contracts/wire.ts";
import type { Message } from "../contracts/message.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { VisibleText } from "../search/evidence_source.ts";
import type { Pace } from "../pace.ts";
import type { CappedTurn, Capper } from "./capper.ts";
import { isComplete, pairWindow, shownMessages } from "./paired_window.ts";
import { type Draft, EMPTY_DRAFT, TextPart } from "./rendering.ts";

/** Where turns come from: an array, or a store that hands them out one by one. */
export interface TurnSource {
  /** Turns of the whole history. */
  readonly count: number;
  /** The turns, newest first. */
  newestFirst(): Iterable<TimedTurn> | AsyncIterable<TimedTurn>;
}

/** A turn as the window would show it. */
export interface WindowTurn extends CappedTurn {
  /** The turn as it came. */
  readonly turn: TimedTurn;
  /** Whether every call is directly followed by its result. */
  readonly isComplete: boolean;
  /** Its text as the newest turn of the window. */
  readonly last: TextPart;
  /** Its text before a newer turn: with a comma. */
  readonly inner: TextPart;
}

/** Reads and shortens turns, newest first, once. */
export class WindowTurns {
  readonly #iterator: Iterator<TimedTurn> | AsyncIterator<TimedTurn>;
  readonly #capper: Capper;
  readonly #pace: Pace;
  readonly #require: (turn: TimedTurn) => void;
  readonly #read: WindowTurn[] = [];
  #isDone = false;

  /** Takes the source, and what is required of each turn; nothing is read yet. */
  constructor(source: TurnSource, capper: Capper, pace: Pace, require: (turn: TimedTurn) => void = () => {}) {
    const turns = source.newestFirst();
    this.#iterator = Symbol.asyncIterator in turns ? turns[Symbol.asyncIterator]() : turns[Symbol.iterator]();
    this.#capper = capper;
    this.#pace = pace;
    this.#require = require;
  }

  /** The turn at a distance from the newest, from 0; null behind the oldest. */
  async at(distance: number): Promise<WindowTurn | null> {
    while (this.#read.length <= distance && !this.#isDone) {
      if (this.#pace.isDue()) await this.#pace.rest();
      const step = await this.#iterator.next();
      if (step.done) this.#isDone = true;
      else this.#read.push(this.#prepared(step.value));
    }
    return this.#read[distance] ?? null;
  }

  /** The newest turns that were read already, oldest first. */
  newest(size: number): readonly WindowTurn[] {
    return this.#read.slice(0, size).reverse();
  }

  /** Lets the source go. */
  async close(): Promise<void> {
    if (!this.#isDone) await this.#iterator.return?.();
    this.#isDone = true;
  }

  #prepared(turn: TimedTurn): WindowTurn {
    this.#require(turn);
    const capped = this.#capper.capTurn(turn);
    return { ...capped, turn, isComplete: isComplete(capped.messages), ...partsOf(turn, capped.messages) };
  }
}

function partsOf(turn: TimedTurn, messages: readonly Message[]): Pick<WindowTurn, "last" | "inner"> {
  const text = `{"messages":[${messages.map(messageWireText).join(",")}],"turn":${quote(turn.turnId)}}`;
  return { last: new TextPart(text), inner: new TextPart(`${text},`) };
}

const OPENING = new TextPart("[");
const CLOSING = new TextPart("]");

/** The window block of turns, oldest first: what history said, as data. */
export function windowDraft(turns: readonly WindowTurn[]): Draft {
  const shown = shownTurns(turns);
  if (shown.length === 0) return EMPTY_DRAFT;
  const parts = shown.map((turn, index) => index === shown.length - 1 ? turn.last : turn.inner);
  return { parts: [OPENING, ...parts, CLOSING], sources: [] };
}

/** The turns as this window shows them; one of which it shows nothing is left out. */
function shownTurns(turns: readonly WindowTurn[]): readonly Pick<WindowTurn, "last" | "inner">[] {
  if (turns.every((turn) => turn.isComplete)) return turns;
  const pairing = pairWindow(turns);
  return turns.flatMap((turn) => {
    if (turn.isComplete) return [turn];
    const messages = shownMessages(turn, pairing);
    return messages.length === 0 ? [] : [partsOf(turn.turn, messages)];
  });
}

/** What the window shows of a turn. */
export function visibleText(turn: WindowTurn): VisibleText {
  return new Map(turn.messages.map((message) => [message.messageId, message.content]));
}
