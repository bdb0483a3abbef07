/** The progress of a long command: one line on the terminal of standard error, redrawn in place. */

import { monotonicMs } from "../../clock.ts";
import { PROGRESS_INTERVAL_MS } from "../../limits.ts";
import { cutToWidth } from "./display_width.ts";
import type { Screen } from "./screen.ts";

const BAR_CELLS = 24;
const LIT_CELLS = 6;

/** A progress bar. It is removed when it is disposed. */
export class Progress implements Disposable {
  readonly #screen: Screen;
  #drawnMs = -Infinity;
  #drawn = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Shows how much of how much is done; without a total the bar moves back and forth. */
  show(what: string, done: number, total: number | null = null): void {
    const { noteColumns } = this.#screen;
    if (noteColumns === null) return;
    const nowMs = monotonicMs();
    if (nowMs - this.#drawnMs < PROGRESS_INTERVAL_MS) return;
    this.#drawnMs = nowMs;
    this.#drawn++;
    const share = total === null || total <= 0 ? null : Math.min(1, done / total);
    const bar = share === null ? movingBar(this.#drawn) : filledBar(share);
    const amount = share === null ? done.toLocaleString("en") : `${Math.floor(share * 100)} %`;
    this.#screen.draw(`\r${cutToWidth(`[${bar}] ${what} ${amount}`, noteColumns - 1)}\x1b[K`);
  }

  [Symbol.dispose](): void {
    if (this.#drawn > 0) this.#screen.draw("\r\x1b[K");
    this.#drawn = 0;
  }
}

function filledBar(share: number): string {
  const lit = Math.round(share * BAR_CELLS);
  return "#".repeat(lit) + ".".repeat(BAR_CELLS - lit);
}

function movingBar(step: number): string {
  const start = step % (BAR_CELLS - LIT_CELLS + 1);
  return ".".repeat(start) + "#".repeat(LIT_CELLS) + ".".repeat(BAR_CELLS - LIT_CELLS - start);
}
