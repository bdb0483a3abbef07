/** How the suites about lines state a promise: lines go from one store into another. */

import type { Memory, StoreOptions } from "../../../mod.ts";
import { clockAtNoon } from "../kit/conversation_samples.ts";
import type { MutableClock } from "../kit/mutable_clock.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";
import { NOTE } from "./filled_store.ts";

/** Opens one more empty store, which knows {@linkcode NOTE}; it is removed at the end of the test. */
type OpenFresh = (clock?: MutableClock, options?: StoreOptions) => Promise<Memory>;

/** States one promise; the second argument is a store that is not open yet. */
type Promising = (title: string, body: (fresh: OpenFresh, store: StoreUnderTest) => Promise<void>) => void;

/** Registers tests about lines. */
export interface LinesSuite {
  readonly promise: Promising;
  readonly durable: Promising;
}

/** The suite about lines of an engine. */
export function linesSuiteOf({ makeStore, promise, durable }: Suite): LinesSuite {
  const withFresh = (promising: Suite["promise"]): Promising => (title, body) =>
    promising(title, async (store) => {
      await using further = new AsyncDisposableStack();
      const fresh: OpenFresh = async (clock = clockAtNoon(), options = {}) => {
        const made = further.use(await makeStore());
        return await made.open({ kinds: [NOTE], clock: clock.now, ...options });
      };
      await body(fresh, store);
    });
  return { promise: withFresh(promise), durable: withFresh(durable) };
}
