/** What reads and write groups of one store share. */

import type { EffectiveTime } from "../../../engine/effective_time.ts";
import type { ApplyEvent } from "../../../engine/engine.ts";
import type { Sentinel } from "../files/sentinel.ts";
import type { Connection } from "./connection.ts";
import type { Ledger } from "./ledger.ts";

/** What the write groups of one store work with. */
export interface StoreParts {
  readonly main: Connection;
  readonly ledger: Ledger;
  readonly time: EffectiveTime;
  readonly apply: ApplyEvent;
  /** Null for a store in memory. */
  readonly sentinel: Sentinel | null;
  /** When reads last looked at files and ledger and found nothing pending, on the monotonic clock. */
  readonly freshness: { lookedAtMs: number };
  /** Whether ledger-writing groups lock readers out: in DELETE mode a COMMIT could not otherwise be sure of its lock. */
  readonly exclusive: boolean;
  /** Whether deletions are announced: a write-ahead log can bring back a commit that nobody saw. */
  readonly announces: boolean;
}
