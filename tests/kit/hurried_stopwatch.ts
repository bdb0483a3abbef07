import { WORK_MS } from "../../src/clock.ts";

/** Lets time pass between any two looks at the clock, so that what gives way once a while does so each time. */
export class HurriedStopwatch implements Disposable {
  readonly #original = performance.now;

  constructor() {
    let ms = performance.now();
    performance.now = (): number => ms += WORK_MS;
  }

  [Symbol.dispose](): void {
    performance.now = this.#original;
  }
}
