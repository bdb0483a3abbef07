/**
 * What became of a COMMIT that was reported as failed. SQLite can report one that took effect, or that could still: so
 * each file is looked at, and a one-cell change that commits lies where the refused one would have to be.
 */

import { randomBytes } from "../../../clock.ts";
import type { Connection } from "../database/connection.ts";
import type { Ledger, LedgerMeta } from "../database/ledger.ts";
import { type MainMeta, readMainMeta, updateMainMeta } from "../database/main_meta.ts";

/** It took effect; it did not, and may still do so; it did not and cannot any more; or nobody knows. */
type Verdict = "durable" | "absent" | "gone" | "unknown";

/** A mark that no other commit has: 48 random bits. */
export function newMark(): number {
  return randomBytes(6).reduce((mark, byte) => mark * 256 + byte, 0);
}

/** Looks at main: the refused commit would have left its own mark in place of the one before. */
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

/** Looks at the ledger: the refused commit would have led from the head before to its own. */
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
