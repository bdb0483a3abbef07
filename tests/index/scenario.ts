/** One conversation in a store on SQLite, taken through what happens to conversations. */

import assert from "node:assert/strict";
import { nodeSqlite, openMemory, type SqliteDriver } from "../../mod.ts";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { Scenario as AnyScenario } from "../../src/testing/searches/scenario.ts";

export { type Asking, SCOPE, type Step } from "../../src/testing/searches/scenario.ts";

/** See the module's documentation. */
export class Scenario extends AnyScenario implements AsyncDisposable {
  static async start(path = ":memory:", driver: SqliteDriver = nodeSqlite): Promise<Scenario> {
    const clock = new MutableClock(1_750_000_000);
    const scenario = new Scenario(await openMemory(path, { clock: clock.now, driver }), clock);
    await scenario.conversation.create();
    return scenario;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      const { problems } = await this.memory.check();
      assert.deepEqual(problems, []);
    } finally {
      await this.memory.close();
    }
  }
}
