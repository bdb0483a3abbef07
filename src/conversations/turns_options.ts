/** What `turns` takes. */

import type { Damaged } from "../contracts/damaged.ts";
import type { Snapshot } from "../contracts/snapshot.ts";

/** What `turns` takes. */
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
