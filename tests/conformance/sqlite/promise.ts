/** How the suites about SQLite's own ways state a promise: they look at its databases themselves. */

import type { StoreTarget } from "../../kit/store_target.ts";
import type { TestStore } from "../../kit/test_store.ts";

/** Registers tests for one target. */
export interface SqliteSuite {
  readonly target: StoreTarget;
  /** One promise: runs on a fresh store, which is checked and removed at the end. */
  readonly promise: (title: string, body: (store: TestStore) => Promise<void>) => void;
}

/** The suite for one target. */
export function suiteFor(target: StoreTarget): SqliteSuite {
  return {
    target,
    promise(title, body): void {
      Deno.test(`${title} [${target.name}]`, async () => {
        await using store = await target.make();
        await body(store);
      });
    },
  };
}
