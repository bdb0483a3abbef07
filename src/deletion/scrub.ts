/** Scrubbing: rewrites tables that lost or replaced content, returns free pages, and empties the logs. */

import { yieldToEventLoop } from "../clock.ts";
import type { ScrubReport } from "../contracts/options/receipt.ts";
import { drainAll } from "./drain_indexes.ts";
import { drainErased } from "./drain_scopes.ts";
import { selectDirty } from "../tables/dirty_tables.ts";
import type { Engine } from "../engine/engine.ts";
import { StorageError } from "../errors.ts";

/** Options of a scrub. */
interface ScrubOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of tables rewritten so far. */
  readonly onTable?: ((tables: number) => void) | undefined;
}

/** Scrubs a store; null if its engine cannot. Rejects if it is cancelled, or for errors other than a held lock. */
export async function scrub(engine: Engine, options: ScrubOptions = {}): Promise<ScrubReport | null> {
  const { signal, onTable } = options;
  const scrubbing = await engine.scrubbing?.();
  if (scrubbing === undefined) return null;
  await drainErased(engine, signal);
  await drainAll(engine, signal);
  const before = await scrubbing.bytes();
  let tables = 0;
  const report = (by: ScrubReport["by"], after: number): ScrubReport => ({
    complete: by === null,
    by,
    tables,
    bytesReturned: Math.max(0, before - after),
  });
  let by: ScrubReport["by"];
  try {
    for (const name of await engine.read(selectDirty)) {
      signal?.throwIfAborted();
      await scrubbing.rewrite(name, signal);
      onTable?.(++tables);
      await yieldToEventLoop();
    }
    signal?.throwIfAborted();
    by = await scrubbing.finish(signal);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "BUSY") throw error;
    return report("BUSY", before);
  }
  return report(by, await scrubbing.bytes());
}

/** The same after a deletion that has committed, which never fails because its scrub could not finish; whether it did. */
export async function tryScrub(engine: Engine, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return (await scrub(engine, { signal }))?.complete ?? false;
  } catch {
    return false;
  }
}
