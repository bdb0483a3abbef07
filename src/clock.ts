/** The only module that reads the time, sleeps, yields to the event loop, or draws random numbers. */

/** Milliseconds since the Unix epoch, from the machine's clock. */
export function systemNowMs(): number {
  return Date.now();
}

/** Milliseconds on a clock that never steps; its origin is arbitrary. */
export function monotonicMs(): number {
  return performance.now();
}

/** Resolves after about `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Calls back after the event loop has delivered what was ready. */
export function soon(callback: () => void): void {
  setImmediate(callback);
}

/** Turns of the event loop from one timer to the next: a timer takes 1 to 2 ms, the other turns next to nothing. */
const TURNS_PER_TIMER = 4;

let turns = 0;

/** When this module last yielded to the event loop. */
let turnMs = -Infinity;

/**
 * Resolves once the event loop has delivered what was ready. Every fourth call also lets it poll sockets and signals.
 * Deno polls them only when nothing else is ready: with immediates alone, a server answered a request after 117 of them,
 * and an interrupt was noticed after 16. With a timer in between, both happen in the next turn.
 */
export async function yieldToEventLoop(): Promise<void> {
  await (++turns % TURNS_PER_TIMER === 0 ? sleep(0) : new Promise<void>(soon));
  turnMs = monotonicMs();
}

/** Milliseconds of work between yields: short compared with a request, long compared with a turn of the event loop. */
export const WORK_MS = 8;

/** Yields to the event loop if the last yield is {@linkcode WORK_MS} or longer ago. Call it between short steps. */
export async function yieldIfBusy(): Promise<void> {
  if (monotonicMs() - turnMs >= WORK_MS) await yieldToEventLoop();
}

/** A number from `low` to below `high`, for jitter; not for secrets. */
export function jitter(low: number, high: number): number {
  return low + Math.random() * (high - low);
}

/** Random bytes fit for keys and identities. */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A random identity of 128 bits as 32 lower-case hex digits. */
export function randomIdentity(): string {
  return Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
