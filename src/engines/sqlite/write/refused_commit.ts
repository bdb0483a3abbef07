/**
 * Finds out whether a COMMIT that was reported as failed took effect.
 *
 * SQLite can report a failure for a COMMIT that took effect, or that still could. Therefore the file is read, and a
 * one-cell change is committed, which takes the place of the failed COMMIT.
 */

import { randomBytes } from "../../../clock.ts";
import type { Connection } from "../database/connection.ts";
import type { Ledger, LedgerMeta } from "../database/ledger.ts";
import { type MainMeta, readMainMeta, updateMainMeta } from "../database/main_meta.ts";

/** Whether it took effect, did not but still could, did not and no longer can, or is unknown. */
type Verdict = "durable" | "absent" | "gone" | "unknown";

/** Returns a mark that no other commit has: 48 random bits. */
export function newMark(): number {
  return randomBytes(6).reduce((mark, byte) => mark * 256 + byte, 0);
}

/** Probes main: the failed commit would have replaced the previous mark by its own. */
export function probeMain(main: Connection, refused: MainMeta, before: number): Verdict {
  let verdict: Verdict = "unknown";
  try {
    main.begin("immediate");
    const found = readMainMeta(main);
    verdict = found.probe === refused.probe ? "durable" : found.probe === before ? "absent" : "unknown";
    if (verdict === "absent") {
      updateMainMeta(main, { ...found, probe: newMark() });
      main.commit();
      return "gone";
    }
    main.rollback();
    return verdict;
  } catch (error) {
    main.abandon(error);
    return verdict;
  }
}

/** Probes the ledger: the failed commit would have replaced the previous head by its own. */
export function probeLedger(ledger: Ledger, before: LedgerMeta, refusedHead: string): Verdict {
  try {
    ledger.connection.begin("immediate");
    const found = ledger.readMeta();
    if (found.head === before.head) {
      ledger.updateMeta({ ...found, probe: found.probe + 1, announced: null });
      ledger.connection.commit();
      return "gone";
    }
    ledger.connection.rollback();
    return found.head === refusedHead ? "durable" : "unknown";
  } catch (error) {
    ledger.connection.abandon(error);
    return "unknown";
  }
}
