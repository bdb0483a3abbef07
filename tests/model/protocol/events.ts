/** Events: what one is made of, and what applying it does. */
import type { Rules } from "./rules.ts";
import {
  type Event,
  type LingeringCommit,
  type MainVersion,
  NONE,
  type Notes,
  type Row,
  setOf,
  type State,
} from "./state.ts";

/** Main after every event it has not applied yet, in order. */
export function applyEvents(main: MainVersion, events: readonly Event[], rules: Rules): MainVersion {
  return events.slice(main.applied).reduce((version, event) => applyEvent(version, event, rules), main);
}

/** Main after one event: whatever incarnation it finds is erased; the floor only says where creation may go on. */
export function applyEvent(main: MainVersion, event: Event, rules: Rules): MainVersion {
  return {
    ...main,
    row: main.row === null ? null : rowAfter(main.row, event, rules),
    reserved: main.reserved || event.burns,
    floor: Math.max(main.floor, event.floor),
    applied: main.applied + 1,
    appliedHead: event.id,
  };
}

function rowAfter(row: Row, event: Event, rules: Rules): Row | null {
  if (event.effect === "labels") return { ...row, owner: event.owner };
  if (event.effect === "erases what is owned") {
    return row.owner === 1 || !rules.erasuresSpareOthers ? null : row;
  }
  const spared = !rules.eventsEraseUnconditionally && !event.burns && row.turnRevision > event.floor;
  return spared ? row : null;
}

/** What the live store holds after an event, as the observer sees it. */
export function expectedAfter(expected: number, event: Event): number {
  return event.effect === "erases" || (event.covers & setOf(expected)) !== 0 ? NONE : expected;
}

/** Every content that is the person's, by the labels up to now, wherever it lies. */
export function ownedContents(state: State): number {
  const { events } = state.ledger.now;
  let owned = 0;
  for (const { row, applied } of versionsOf(state)) {
    if (row === null) continue;
    const labels = events.slice(applied).filter(({ effect }) => effect === "labels");
    if ((labels.at(-1)?.owner ?? row.owner) === 1) owned |= setOf(row.write);
  }
  return owned;
}

/** Every version of main: in files, lingering commits, backups, open transactions, snapshots. */
function versionsOf(state: State): readonly MainVersion[] {
  const mains = state.mains.filter((main) => main !== null);
  const notes = state.processes.flatMap(({ notes: { work, snapshot } }) => [work, snapshot]);
  const all = [
    ...mains.map(({ now }) => now),
    ...mains.map(({ lingering }) => lingering?.version ?? null),
    ...state.backups,
    ...notes,
  ];
  return all.filter((version) => version !== null);
}

/** Every content that exists anywhere: in files, lingering commits, backups, open transactions, snapshots. What is gone never returns. */
export function contentsOf(state: State): number {
  let contents = 0;
  const add = (row: Row | null | undefined): void => {
    if (row) contents |= setOf(row.write);
  };
  const addLingering = (lingering: LingeringCommit<MainVersion> | null): void => add(lingering?.version.row);
  const addNotes = (notes: Notes): void => {
    add(notes.work?.row);
    add(notes.snapshot?.row);
  };
  for (const main of state.mains) {
    if (!main) continue;
    add(main.now.row);
    addLingering(main.lingering);
  }
  for (const backup of state.backups) add(backup.row);
  for (const process of state.processes) addNotes(process.notes);
  return contents;
}
