/** The only place that reads time, sleeps, yields to the event loop, or draws random numbers. */

/** Milliseconds since the Unix epoch, from the machine's clock. */
export function systemNowMs(): number {
  return Date.now();
}

/** Milliseconds on a clock that never steps; its origin means nothing. */
export function monotonicMs(): number {
  return performance.now();
}

/** Resolves after about `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Calls back once the event loop has delivered what was ready. */
export function soon(callback: () => void): void {
  setImmediate(callback);
}

/** Between timers, which take 1 to 2 ms, so many turns of the loop cost next to nothing. */
const TURNS_PER_TIMER = 4;

let turns = 0;

/** When the event loop had its last turn, as far as it was given one here. */
let turnMs = -Infinity;

/**
 * Resolves once the event loop has delivered what was ready; every fourth time sockets and signals are looked at, too.
 * Deno does so when nothing else is left to do: while one immediate follows the other a server answered a request after
 * 117 of them, and an interrupt was seen after 16. With a timer in between it is the next turn.
 */
export async function yieldToEventLoop(): Promise<void> {
  await (++turns % TURNS_PER_TIMER === 0 ? sleep(0) : new Promise<void>(soon));
  turnMs = monotonicMs();
}

/** Milliseconds of work after which the event loop gets its turn: short beside a request, long beside a turn of the loop. */
export const WORK_MS = 8;

/** Yields to the event loop if this thread has worked for {@linkcode WORK_MS} since it last did: call it between short steps. */
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
