/** `prune`: erases what has expired, completes pending deletions, and scrubs the files. */

import {
  counted,
  countedAll,
  type Declare,
  grouped,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { printSwept } from "./leftover_lines.ts";
import { Progress } from "../terminal/progress.ts";

interface PruneOptions extends StoreOptions {
  readonly acceptClock?: true;
}

/** Declares the command. */
export const PRUNE: Declare = (program, run) => {
  storeCommand(program, "prune", {
    summary: "Erase what has expired, complete pending deletions, scrub the files",
    access: "write",
    example: "DIR/agent.db",
    more:
      "Exits with 1 if the scrub could not be completed: erased bytes may then remain in the files. Repeat it when " +
      "no other process reads or writes.",
  })
    .option("--accept-clock", "accept a clock that is behind the highest time seen")
    .action((store: string, options: PruneOptions) => run((session) => prune(session, store, options)));
};

async function prune({ screen, signal }: Session, store: string, options: PruneOptions): Promise<boolean> {
  await using memory = await openStore(store, options, "write");
  using progress = new Progress(screen);
  const report = await memory.prune({
    signal,
    acceptClock: options.acceptClock === true,
    onProgress: ({ part, done }) => progress.show(part, done),
  });
  screen.completed("The store was pruned: repeat the command to see whether it is scrubbed.");
  const { expired, retiredIndexes, clockLoweredByMs, leftovers, scrub } = report;
  const isComplete = scrub?.complete === true;
  if (screen.json) {
    await screen.value(report);
    return isComplete;
  }
  await screen.line(`Erased what had expired: ${countedAll({ ...expired })}.`);
  if (retiredIndexes > 0) {
    await screen.line(
      `Removed: ${retiredIndexes} replaced ${retiredIndexes === 1 ? "index" : "indexes"}.`,
    );
  }
  if (clockLoweredByMs > 0) {
    await screen.line(`The clock mark was lowered by ${grouped(clockLoweredByMs)} ms.`);
  }
  await printSwept(screen, leftovers);
  if (isComplete) {
    await screen.line(
      `Scrubbed: ${counted(scrub.tables, "table")} rewritten, ${
        counted(scrub.bytesReturned, "byte")
      } returned.`,
      "green",
    );
  } else {
    await screen.line(
      `Not scrubbed completely: ${
        scrub?.by === "READERS" ? "another process reads" : "another process writes"
      }.`,
      "red",
    );
  }
  return isComplete;
}
