/** How the parts of the suite state a promise about conversations. */

import type { StoreTarget } from "../kit/store_target.ts";
import type { TestStore } from "../kit/test_store.ts";

/** Registers tests for one target. */
export interface ConversationsSuite {
  readonly target: StoreTarget;
  /** One promise: runs on a fresh store, which is checked and removed at the end. */
  readonly promise: (title: string, body: (store: TestStore) => Promise<void>) => void;
  /** The same, for a store that can be opened again and by several; nothing where it cannot. */
  readonly durable: (title: string, body: (store: TestStore) => Promise<void>) => void;
}

/** The suite for one target. */
export function suiteFor(target: StoreTarget): ConversationsSuite {
  const promise: ConversationsSuite["promise"] = (title, body) => {
    Deno.test(`${title} [${target.name}]`, async () => {
      await using store = await target.make();
      await body(store);
    });
  };
  return { target, promise, durable: target.durable ? promise : (): void => {} };
}
