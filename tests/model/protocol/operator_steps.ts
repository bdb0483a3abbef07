/** What an operator does: takes a backup, puts an old main back, opens the store that is live. */
import { addMain, changeHistory, changeProcess, replaced } from "./changes.ts";
import { finish } from "./endings.ts";
import { expectedAfter } from "./events.ts";
import { type Here, type Moves, type Step, step } from "./moves.ts";
import { isUsable, liveFiles } from "./promises.ts";
import { mainOf, NOBODY, NONE, type StepName } from "./state.ts";

export const OPERATOR_STEPS = {
  "take a backup": takeBackup,
  "put an old main back": putOldMainBack,
  "open the live store": openLiveStore,
} satisfies Partial<Record<StepName, Step>>;

/** A copy of what is committed; there is none of an unfinished restore. */
function takeBackup(here: Here): Moves {
  const { state } = here;
  const { now } = mainOf(state, here.process.file);
  if (now.pendingFrom !== null) {
    return [step(here, "no backup of an unfinished restore", finish(here, state))];
  }
  return [step(here, "take a backup", finish(here, { ...state, backups: [...state.backups, now] }))];
}

/** A backup takes the name of the live store while others may have the old file open: a new file, the old one unlinked. */
function putOldMainBack(here: Here): Moves {
  const { state, self, process, operation, rules } = here;
  const backup = operation.kind === "putBack" ? state.backups[operation.from] : undefined;
  const live = state.paths[process.path] === process.file &&
    isUsable(mainOf(state, process.file).now, state.ledger.now, rules);
  const { events, epoch } = state.ledger.now;
  if (!backup || !live || backup.epoch !== epoch) {
    return [step(here, "no old main to put back", finish(here, state))];
  }
  const missed = events.length - backup.applied;
  const { state: added, file } = addMain(state, {
    now: backup,
    lingering: null,
    lockedBy: NOBODY,
    restoredFrom: null,
    tooOld: missed > 1,
  });
  const named = { ...added, paths: replaced(added.paths, process.path, file) };
  const known = changeHistory(named, {
    oldMainPutBack: true,
    expected: events.slice(backup.applied).reduce(expectedAfter, backup.row?.write ?? NONE),
  });
  return [step(here, "put an old main back", finish(here, changeProcess(known, self, { file })))];
}

/** Opens the live store, wherever it is; a process that does not find one keeps what it has. */
function openLiveStore(here: Here): Moves {
  const { state, self, rules } = here;
  const live = liveFiles(state, rules).at(-1);
  if (live === undefined) return [step(here, "no live store to open", finish(here, state))];
  const opened = changeProcess(state, self, { file: live, path: state.paths.indexOf(live) });
  return [step(here, "open the live store", finish(here, opened))];
}
