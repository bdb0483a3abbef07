/** `import`: reads the lines that `export` wrote into a store. */

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
import { isThere, readChunks, requireApart, requireFile, requireSource, STANDARD } from "./file_access.ts";
import { tryBeginning } from "./lines_beginning.ts";
import { validatingLines } from "./lines_failure.ts";
import { Progress } from "../terminal/progress.ts";

/** Declares the command. */
export const IMPORT: Declare = (program, run) => {
  storeCommand(program, "import", {
    summary: "Import what `export` wrote",
    access: "write",
    example: "DIR/agent.db DIR/store.jsonl",
    more:
      "Creates the store if it does not exist, and says so. Overwrites nothing, and brings back nothing that was " +
      "deleted. Can be repeated, and continues where it was interrupted. Records of your own kinds need a program " +
      "that defines the kind.",
  })
    .argument("<file>", "the lines; - for standard input")
    .action((store: string, file: string, options: StoreOptions) =>
      run((session) => importFile(session, store, file, options))
    );
};

async function importFile(
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
  const chunks = readChunks(file, "lines", {
    signal,
    onBytes: (bytes) => progress.show("importing", bytes, size),
  });
  const lines = isNew ? await tryBeginning(chunks, signal) : chunks;
  await using memory = await openMemory(store, ledgerOption(ledger));
  if (isNew && !screen.json) await screen.line(`Created a new store: ${store}`);
  const report = await validatingLines(() => memory.importLines(lines, { signal }));
  screen.completed("The lines are imported: repeat the command to count them.");
  if (screen.json) {
    await screen.value({ isNew, ...report });
    return true;
  }
  const sorts: readonly (keyof LineCounts)[] = [
    ...["records", "scopes", "turns", "pins", "summaries", "journals", "entries"] as const,
  ];
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
