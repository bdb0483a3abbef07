/** How the parts of the suite state a promise about records. */

import type { StoreTarget } from "../../kit/store_target.ts";
import type { TestStore } from "../../kit/test_store.ts";

/** Registers tests for one target. */
export interface RecordsSuite {
  readonly target: StoreTarget;
  /** One promise: runs on a fresh store, which is checked and removed at the end. */
  readonly promise: (title: string, body: (store: TestStore) => Promise<void>) => void;
}

/** The suite for one target. */
export function suiteFor(target: StoreTarget): RecordsSuite {
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
