/** For every rule a pair of programs that shows what it is for: with the rule left out, these promises are broken. */
import type { PromiseName } from "./promises.ts";
import type { Pair } from "./protocol_model.ts";
import type { Rule } from "./rules.ts";

/** What the search of a pair must report. */
export interface Evidence {
  readonly left: readonly Rule[];
  readonly pair: Pair;
  readonly breaks: PromiseName;
}

const CALM = { crashes: 0, failures: 0 };
const CRASH = { crashes: 1, failures: 0 };
const FAILURE = { crashes: 0, failures: 1 };
const BOTH = { crashes: 1, failures: 1 };

const RESTORE = "backup, restore 0 to 1";
const OLDER_BY_TWO = "backup, expire, put, expire, put back 0, put";
const TWO_RESTORES = "backup, restore 0 to 1, put, restore 0 to 2, put";
const NEWER_BACKUP = "backup, put, backup, restore 0 to 1, expire, restore 1 to 2, read";

type Mishaps = Pick<Pair, "crashes" | "failures">;

function evidence(
  left: Rule,
  breaks: PromiseName,
  programs: readonly [string, string],
  mishaps: Mishaps,
): Evidence {
  return { left: [left], breaks, pair: { programs, ...mishaps } };
}

/** One line for one rule, and a second one where a rule keeps a promise that no other line shows. */
export const EVIDENCE: readonly Evidence[] = [
  evidence("tombstoneInsideTransaction", "reservedStaysReserved", ["put", "delete"], CALM),
  evidence("epochCheckedByWriters", "fencedIsSilent", ["put", RESTORE], CALM),
  evidence("rollForwardBeforeWriting", "historyIsKept", ["expire, put", ""], FAILURE),
  evidence("rollForwardCommitsAlone", "oneBatchPending", ["delete", "expire"], FAILURE),
  evidence("olderMainRefused", "olderMainIsRefused", [OLDER_BY_TWO, ""], CALM),
  evidence("recreationAboveFloor", "floorsHold", ["expire, put", ""], CALM),
  evidence("probeAfterMainCommit", "unchangedIsTrue", ["put", ""], FAILURE),
  evidence("filesCheckedBeforeAcknowledging", "fencedIsSilent", ["put", "backup, put back 0"], CALM),
  evidence("labelsAreEvents", "acknowledgedStaysGone", ["backup, label, erase, restore 0 to 1", ""], CALM),
  evidence("erasuresSpareOthers", "historyIsKept", ["erase", ""], CALM),
  evidence("eventsEraseUnconditionally", "acknowledgedStaysGone", [NEWER_BACKUP, ""], CALM),
  evidence("eventsEraseUnconditionally", "recordedIsApplied", ["put", "expire"], BOTH),
  evidence("epochReadAgain", "fencedRecordsNothing", ["delete", RESTORE], CALM),
  evidence("countReadAgain", "chainNeverForks", ["delete", "delete"], CRASH),
  evidence("ledgerCommitsFirst", "noFalseAlarm", ["delete", ""], CALM),
  evidence("probeAfterLedgerCommit", "unchangedIsTrue", ["delete", ""], FAILURE),
  evidence("mainBeforeLedgerOnReads", "noFalseAlarm", ["delete", "read"], CALM),
  evidence("epochCheckedByReaders", "fencedIsSilent", ["read", RESTORE], CALM),
  evidence("filesCheckedByReaders", "fencedIsSilent", ["read", "backup, put back 0"], CALM),
  evidence("pendingReadNeverServes", "recordedStaysUnread", ["delete", "read"], CALM),
  evidence(
    "pendingReadNeverServes",
    "acknowledgedStaysUnread",
    ["backup, delete, put back 0, read", ""],
    CALM,
  ),
  evidence("pendingNotUsable", "oneLiveStore", [RESTORE, ""], CALM),
  evidence("copyNameIsMutex", "oneLiveStore", [RESTORE, RESTORE], CALM),
  evidence("freshEpoch", "oneLiveStore", [RESTORE, ""], CALM),
  evidence("revisionRanges", "revisionsAreUnique", [TWO_RESTORES, ""], CALM),
  evidence(
    "newerEventsApplied",
    "oneBatchPending",
    ["backup, put, expire, put, expire, restore 0 to 1", ""],
    CALM,
  ),
  evidence("linkBeforeFence", "oneLiveStore", [RESTORE, ""], CALM),
  evidence(
    "generationChecked",
    "revisionsAreUnique",
    [`${RESTORE}, put`, "backup, restore 0 to 2, put"],
    CALM,
  ),
  evidence("probeReadsBack", "unchangedIsTrue", ["put", ""], FAILURE),
  evidence("commitsAreAnnounced", "laterWritesAreSafe", ["delete, put", ""], CRASH),
  evidence("announcementsAreCleared", "laterWritesAreSafe", ["delete, put", ""], CRASH),
  evidence("announcementsAreCleared", "oneLiveStore", [`${RESTORE}, restore 0 to 1`, ""], CRASH),
  evidence("pendingReadAtOnce", "noFalseAlarm", ["expire, read", `${RESTORE}, delete`], FAILURE),
  evidence("removalHoldsLock", "oneLiveStore", [RESTORE, RESTORE], CALM),
  evidence("removalSparesLive", "oneLiveStore", [`${RESTORE}, restore 0 to 1`, ""], FAILURE),
  evidence("nameCheckedUnderLock", "oneLiveStore", [RESTORE, RESTORE], CALM),
  {
    left: ["mainBeforeLedger", "nobodyWaitsHolding"],
    breaks: "noDeadlock",
    pair: { programs: ["delete", RESTORE], ...CALM },
  },
];
