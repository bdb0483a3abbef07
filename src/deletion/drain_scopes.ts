/** Erases the contents of sessions that were erased, in groups between which other calls run. */

import { yieldToEventLoop } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { drainScopes, hasDrainingScopes } from "./draining_scopes.ts";

/** Erases all that is left; resolves once nothing is. */
export async function drainErased(engine: Engine, signal: AbortSignal | undefined): Promise<void> {
  // A write that changes nothing would be synced too.
  if (!(await engine.read(hasDrainingScopes, { signal }))) return;
  for (let more = true; more;) {
    more = await engine.write(drainScopes, { signal });
    await yieldToEventLoop();
  }
}
