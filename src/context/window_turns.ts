/** Reads the newest turns, one by one and only as far as they are needed. */

import { quote } from "../canonical/canonical_json.ts";
import { messageWireText } from "../contracts/wire.ts";
import type { Message } from "../contracts/message.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { VisibleText } from "../search/evidence_source.ts";
import type { Pace } from "../pace.ts";
import type { CappedTurn, Capper } from "./capper.ts";
import { isComplete, pairWindow, shownMessages } from "./paired_window.ts";
import { type Draft, EMPTY_DRAFT, TextPart } from "./rendering.ts";

/** A source of turns: an array, or a store that reads them one by one. */
export interface TurnSource {
  /** The number of turns in the whole history. */
  readonly count: number;
  /** Returns the turns, newest first. */
  newestFirst(): Iterable<TimedTurn> | AsyncIterable<TimedTurn>;
}

/** A turn as the window would show it. */
export interface WindowTurn extends CappedTurn {
  /** The original turn. */
  readonly turn: TimedTurn;
  /** Whether every call is directly followed by its result. */
  readonly isComplete: boolean;
  /** Its text if it is the newest turn of the window. */
  readonly last: TextPart;
  /** Its text before a newer turn, followed by a comma. */
  readonly inner: TextPart;
}

/** Reads and shortens turns, newest first, each once. */
export class WindowTurns {
  readonly #iterator: Iterator<TimedTurn> | AsyncIterator<TimedTurn>;
  readonly #capper: Capper;
  readonly #pace: Pace;
  readonly #require: (turn: TimedTurn) => void;
  readonly #read: WindowTurn[] = [];
  #isDone = false;

  /** Creates a reader of a source that checks each turn with `require`; reads nothing yet. */
  constructor(source: TurnSource, capper: Capper, pace: Pace, require: (turn: TimedTurn) => void = () => {}) {
    const turns = source.newestFirst();
    this.#iterator = Symbol.asyncIterator in turns ? turns[Symbol.asyncIterator]() : turns[Symbol.iterator]();
    this.#capper = capper;
    this.#pace = pace;
    this.#require = require;
  }

  /** Returns the turn at a distance from the newest, which has distance 0; null past the oldest. */
  async at(distance: number): Promise<WindowTurn | null> {
    while (this.#read.length <= distance && !this.#isDone) {
      if (this.#pace.mustYield()) await this.#pace.rest();
      const step = await this.#iterator.next();
      if (step.done) this.#isDone = true;
      else this.#read.push(this.#prepare(step.value));
    }
    return this.#read[distance] ?? null;
  }

  /** Returns the newest `size` turns, which must be read already, oldest first. */
  newest(size: number): readonly WindowTurn[] {
    return this.#read.slice(0, size).reverse();
  }

  /** Closes the source. */
  async close(): Promise<void> {
    if (!this.#isDone) await this.#iterator.return?.();
    this.#isDone = true;
  }

  #prepare(turn: TimedTurn): WindowTurn {
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

/** Creates the window block of turns, oldest first, as JSON data. */
export function windowDraft(turns: readonly WindowTurn[]): Draft {
  const shown = shownTurns(turns);
  if (shown.length === 0) return EMPTY_DRAFT;
  const parts = shown.map((turn, index) => index === shown.length - 1 ? turn.last : turn.inner);
  return { parts: [OPENING, ...parts, CLOSING], sources: [] };
}

/** Returns the turns as this window shows them, without those of which it shows nothing. */
function shownTurns(turns: readonly WindowTurn[]): readonly Pick<WindowTurn, "last" | "inner">[] {
  if (turns.every((turn) => turn.isComplete)) return turns;
  const pairing = pairWindow(turns);
  return turns.flatMap((turn) => {
    if (turn.isComplete) return [turn];
    const messages = shownMessages(turn, pairing);
    return messages.length === 0 ? [] : [partsOf(turn.turn, messages)];
  });
}

/** Returns the text that the window shows of a turn: message id → text. */
export function visibleText(turn: WindowTurn): VisibleText {
  return new Map(turn.messages.map((message) => [message.messageId, message.content]));
}
