/** What `turns` takes. */

import type { Damaged } from "../contracts/damaged.ts";
import type { Snapshot } from "../contracts/snapshot.ts";

/** What `turns` takes. */
export interface TurnsOptions {
  /** Only if the scope is still as it was then; as it is now if omitted. */
  readonly snapshot?: Snapshot | undefined;
  /** Only the newest so many; still oldest first. With `before`, the newest of those. Not with `from`. */
  readonly last?: number | undefined;
  /** Only those after the turn with this id. */
  readonly after?: string | undefined;
  /** Only those before the turn with this id. */
  readonly before?: string | undefined;
  /** Only those from this place in the history on: 0 is the oldest turn. */
  readonly from?: number | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
  /** What becomes of damaged turns: `"error"` (the default) ends with one, `"skip"` leaves them out. */
  readonly damaged?: Damaged | undefined;
  /** Cancels between two pages. */
  readonly signal?: AbortSignal | undefined;
}
