/** Events: what one is made of, and what applying it does. */
import type { Rules } from "./rules.ts";
import {
  type Event,
  type LingeringCommit,
  type MainVersion,
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
  const spared = !rules.eventsEraseUnconditionally && !event.burns && main.row !== null &&
    main.row.turnRevision > event.floor;
  return {
    ...main,
    row: spared ? main.row : null,
    reserved: main.reserved || event.burns,
    floor: Math.max(main.floor, event.floor),
    applied: main.applied + 1,
    appliedHead: event.id,
  };
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
