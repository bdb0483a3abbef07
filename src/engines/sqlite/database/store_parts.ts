/** What reads and write groups of one store share. */

import type { EffectiveTime } from "../../../engine/effective_time.ts";
import type { ApplyEvent } from "../../../engine/engine.ts";
import type { Sentinel } from "../files/sentinel.ts";
import type { Connection } from "./connection.ts";
import type { Ledger } from "./ledger.ts";

/** Dependencies of a store's write groups. */
export interface StoreParts {
  readonly main: Connection;
  readonly ledger: Ledger;
  readonly time: EffectiveTime;
  readonly apply: ApplyEvent;
  /** Null for a store in memory. */
  readonly sentinel: Sentinel | null;
  /** When reads last found files and ledger unchanged and nothing pending, on the monotonic clock. */
  readonly freshness: { lookedAtMs: number };
  /** Whether groups that write the ledger exclude readers. In DELETE mode a reader can make a COMMIT fail. */
  readonly exclusive: boolean;
  /** Whether deletions are announced: a write-ahead log can revive a commit that no connection has seen. */
  readonly announces: boolean;
}
