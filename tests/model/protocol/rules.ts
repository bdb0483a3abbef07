/** The rules of the protocol, each a switch, so that each can be left out and must then be missed. */
export const RULES = {
  mainBeforeLedger: "0.1: main's lock first, then the ledger's",
  nobodyWaitsHolding: "0.2: BUSY rolls everything back; nobody waits while holding a lock",
  tombstoneInsideTransaction: "1: the tombstone is looked up inside the write's own transaction",
  epochCheckedByWriters: "1.3: a writer compares main's epoch with the ledger's",
  rollForwardBeforeWriting: "1.4: what is pending is applied before anything is written",
  rollForwardCommitsAlone: "1.4: rolling forward is a transaction of its own",
  olderMainRefused: "1.4: more than one pending batch is refused: main is older than its ledger",
  recreationAboveFloor: "1.5: an identifier with a floor is created again above it",
  probeAfterMainCommit: "1.6: an error of main's commit is followed by a probe",
  filesCheckedBeforeAcknowledging: "1.7: the files are checked before anything is acknowledged",
  labelsAreEvents: "2: whose something is from now on is an event, so that a restore knows it",
  erasuresSpareOthers:
    "2: an erasure of a person takes what is the person's when it is applied, and nothing else",
  eventsEraseUnconditionally: "2: an event erases whatever incarnation it finds",
  epochReadAgain: "2.2: the epoch is read again inside the ledger's transaction",
  countReadAgain: "2.2: the count is read again inside the ledger's transaction",
  ledgerCommitsFirst: "2.4, 2.6: the ledger commits before main",
  probeAfterLedgerCommit: "2.5, 4.6: an error of the ledger's commit is followed by a probe",
  mainBeforeLedgerOnReads: "3.1, 3.2: a read takes main's snapshot before it looks at the ledger",
  epochCheckedByReaders: "3.2: a reader compares main's epoch with the ledger's",
  filesCheckedByReaders: "3.2: a read looks at the files before it answers",
  pendingReadNeverServes: "3.3: a read that meets a pending event of its scope never serves what it saw",
  pendingNotUsable: "4: a pending destination is no store before the ledger names its epoch",
  copyNameIsMutex: "4: the copy's name is taken exclusively, and removed only when its maker is gone",
  freshEpoch: "4.3: a restored main has an epoch of its own",
  revisionRanges: "4.3: revisions after a restore lie in the range of its generation",
  newerEventsApplied: "4.3, 4.5, 4.7: a restore applies every event newer than its backup",
  linkBeforeFence: "4.4, 4.6: the destination has its name before the ledger's commit makes it live",
  generationChecked: "4.5: the ledger's generation must still be the one the restore started from",
  probeReadsBack: "added to 1.6, 2.5, 4.6: the probe looks whether the commit is there after all",
  commitsAreAnnounced:
    "added to 2 and 4.5: the ledger says that a commit is coming, in a commit of its own before it",
  announcementsAreCleared:
    "added to 1.3 and 4.1: who meets an announcement overwrites it before relying on its absence",
  pendingReadAtOnce: "added to 1.3 and 1.4: meta row and pending events are read in one transaction",
  removalHoldsLock: "added to 4.1: a pending destination is removed only under its write lock",
  removalSparesLive: "added to 4.1: a pending destination that the ledger names is never removed",
  nameCheckedUnderLock: "added to 4.5: the destination's name still leads to the file that is locked",
} as const;

export type Rule = keyof typeof RULES;
export type Rules = Readonly<Record<Rule, boolean>>;

/** All rules in force but those named. */
export function rulesWithout(...left: readonly Rule[]): Rules {
  const rules: Partial<Record<Rule, boolean>> = {};
  for (const rule of Object.keys(RULES) as Rule[]) rules[rule] = !left.includes(rule);
  return rules as Rules;
}
