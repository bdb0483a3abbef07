import { jitter, monotonicMs, sleep } from "../../../clock.ts";
import { BUSY_SLEEP_MS } from "../../../limits.ts";
import { isBusy } from "../drivers/result_codes.ts";

/** Retries a call, after a short jittered sleep, while a lock is held and the deadline has not passed. */
export async function retryWhileBusy<T>(deadlineMs: number, call: () => T): Promise<T> {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (!isBusy(error) || monotonicMs() >= deadlineMs) throw error;
    }
    await sleep(jitter(BUSY_SLEEP_MS.min, BUSY_SLEEP_MS.max));
  }
}
