/** How the parts of a suite state a promise. */

import { StoreUnderTest } from "./store_under_test.ts";
import type { TestEngine, TestRunner } from "./test_engine.ts";

/** States one promise: its body runs on a fresh store, which is checked and removed at the end. */
type Promising = (title: string, body: (store: StoreUnderTest) => Promise<void>) => void;

/** Registers tests for one engine. */
export interface Suite {
  readonly engine: TestEngine;
  /** A further store, for a promise about two. */
  readonly makeStore: () => Promise<StoreUnderTest>;
  readonly promise: Promising;
  /** The same for a store that can be opened again, and by several; ignored where it cannot. */
  readonly durable: Promising;
  /** The same for a database that can be made to refuse a change; ignored where it cannot. */
  readonly refusing: Promising;
  /** The same for a store that can be backed up and restored; ignored where it cannot. */
  readonly restoring: Promising;
}

/** The suite for one engine. */
export function suiteFor(test: TestRunner, engine: TestEngine): Suite {
  const makeStore = async (): Promise<StoreUnderTest> => new StoreUnderTest(engine, await engine.make());
  const promise: Promising = (title, body) => {
    test(`${title} [${engine.name}]`, async () => {
      await using store = await makeStore();
      try {
        await body(store);
      } catch (error) {
        // Its own error says more than what a check would find after it.
        store.damaged = true;
        throw error;
      }
    });
  };
  const ignored = (missing: string): Promising => {
    const ignore = test.ignore ?? test.skip;
    return (title) => ignore?.(`${title} [${engine.name}: ${missing}]`, () => Promise.resolve());
  };
  return {
    engine,
    makeStore,
    promise,
    durable: engine.durable ? promise : ignored("not durable"),
    restoring: engine.backups === undefined ? ignored("no backups") : promise,
    refusing: engine.refuse === undefined ? ignored("cannot refuse changes") : promise,
  };
}
