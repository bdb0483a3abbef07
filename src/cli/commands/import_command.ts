/** `import`: takes in what `export` wrote. */

import type { ImportReport, LineCounts } from "../../contracts/options/lines_options.ts";
import { openMemory } from "../../open.ts";
import {
  type Declare,
  grouped,
  ledgerOption,
  requirePath,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { isThere, readPieces, requireApart, requireFile, requireSource, STANDARD } from "./file_access.ts";
import { tried } from "./lines_beginning.ts";
import { validatingLines } from "./lines_failure.ts";
import { Progress } from "../terminal/progress.ts";

/** Declares it. */
export const IMPORT: Declare = (program, run) => {
  storeCommand(program, "import", {
    summary: "Take in what `export` wrote",
    access: "write",
    example: "DIR/agent.db DIR/store.jsonl",
    more:
      "Makes the store if it is not there, and says so. Overwrites nothing, and brings back nothing that was " +
      "deleted. Can be repeated, and goes on where it was interrupted. Records other than checkpoints and facts " +
      "need a program that knows their kind.",
  })
    .argument("<file>", "the lines; - for standard input")
    .action((store: string, file: string, options: StoreOptions) =>
      run((session) => takeIn(session, store, file, options))
    );
};

async function takeIn(
  { screen, signal }: Session,
  store: string,
  file: string,
  { ledger }: StoreOptions,
): Promise<boolean> {
  requirePath(store);
  requireSource(file, "lines");
  const size = file === STANDARD ? null : requireFile(file, "lines", true);
  if (file !== STANDARD) requireApart(file, "lines", [store, ledger ?? `${store}.deletions`]);
  const isNew = !isThere(store, "store", false);
  using progress = new Progress(screen);
  const pieces = readPieces(file, "lines", {
    signal,
    onBytes: (bytes) => progress.tell("importing", bytes, size),
  });
  const lines = isNew ? await tried(pieces, signal) : pieces;
  await using memory = await openMemory(store, ledgerOption(ledger));
  if (isNew && !screen.json) await screen.line(`Made a new store: ${store}`);
  const report = await validatingLines(() => memory.importLines(lines, { signal }));
  screen.done("The lines are in: repeat the command to have them counted.");
  if (screen.json) {
    await screen.value({ isNew, ...report });
    return true;
  }
  const sorts: readonly (keyof LineCounts)[] = ["records", "scopes", "turns", "pins", "summaries"];
  const outcomes: readonly Exclude<keyof ImportReport, "skipped">[] = [
    "imported",
    "unchanged",
    "conflicting",
    "refused",
    "expired",
  ];
  await screen.table(
    "Lines",
    [{ head: "" }, ...outcomes.map((head) => ({ head, align: "right" as const }))],
    sorts.map((sort) => [sort, ...outcomes.map((outcome) => grouped(report[outcome][sort]))]),
  );
  return true;
}
