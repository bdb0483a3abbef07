/** What `turns` takes. */

import type { Damaged } from "../contracts/damaged.ts";
import type { Snapshot } from "../contracts/snapshot.ts";

/**
 * What `turns` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type TurnsOptions } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * await conversation.append([{ role: "user", content: "The plums were not." }]);
 * const options: TurnsOptions = { last: 1 };
 * const [newest] = await Array.fromAsync(conversation.turns(options));
 * assert.equal(newest?.messages[0]?.content, "The plums were not.");
 * ```
 */
export interface TurnsOptions {
  /** Only if the scope is still as it was then; as it is now if omitted. */
  readonly snapshot?: Snapshot | undefined;
  /** Only the newest so many; still oldest first. */
  readonly last?: number | undefined;
  /** Only those after the turn with this id. */
  readonly after?: string | undefined;
  /** What becomes of damaged turns: `"error"` (the default) ends with one, `"skip"` leaves them out. */
  readonly damaged?: Damaged | undefined;
  /** Cancels between two pages. */
  readonly signal?: AbortSignal | undefined;
}
