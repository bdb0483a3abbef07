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

/** Milliseconds of work between two looks at what came from outside, which cost some ten times a turn of the loop. */
const DELIVERY_MS = 10;

let deliveredMs = -Infinity;

/**
 * Resolves once the event loop has delivered what was ready. Between immediates alone, Deno looks at signals and sockets
 * once in some twenty turns of the loop: a cancellation came after twenty batches of work. A message makes it look.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (monotonicMs() - deliveredMs < DELIVERY_MS) return await new Promise(soon);
  await new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      // A message is ahead of what waits for its turn, such as the next group of writes.
      soon(resolve);
    };
    port2.postMessage(null);
  });
  deliveredMs = monotonicMs();
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
