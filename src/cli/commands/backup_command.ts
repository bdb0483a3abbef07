/** `backup`: copies one moment of a store, or of its ledger, into one private file. */

import {
  type Answer,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { wrongWords } from "../terminal/failure.ts";
import { printSwept } from "./leftover_lines.ts";
import { Progress } from "../terminal/progress.ts";
import { damagedOption, type SkippingOptions, tellSkipped, withSkipDamaged } from "./skipping.ts";

interface BackupOptions extends StoreOptions, SkippingOptions {
  readonly onlyLedger?: true;
}

/** Declares it. */
export const BACKUP: Declare = (program, run) => {
  withSkipDamaged(storeCommand(program, "backup", {
    summary: "Copy one moment of the store into one private file",
    access: "write",
    example: "DIR/agent.db DIR/monday.backup",
    more:
      "Others may go on reading and writing. Nothing is ever written over. Keep the watermark that it prints, " +
      "or the whole of its JSON, apart from the store: `restore` takes either. Pending deletions are completed first.",
  }))
    .argument("<destination>", "the file to make, where nothing is yet")
    .option("--only-ledger", "copy the deletion ledger instead")
    .action((store: string, destination: string, options: BackupOptions) =>
      run((session) => backup(session, store, destination, options))
    );
};

async function backup(
  { screen, signal }: Session,
  store: string,
  destination: string,
  options: BackupOptions,
): Promise<Answer> {
  if (options.onlyLedger && options.skipDamaged) {
    throw wrongWords("--only-ledger and --skip-damaged do not go together");
  }
  await using memory = await openStore(store, options, "write");
  using progress = new Progress(screen);
  const onProgress = ({ step, part, rows }: { step: string; part: string; rows: number }): void =>
    progress.tell(`${step === "copy" ? "copying" : "looking at the copy of"} ${part}`, rows);
  const report = options.onlyLedger
    ? await memory.exportLedger(destination, { signal, onProgress })
    : await memory.backup(destination, { ...damagedOption(options), signal, onProgress });
  screen.done("The copy was made: as its watermark take what `inspect --json` on the store prints.");
  if (screen.json) {
    await screen.value(report);
    return await tellSkipped(screen, report.skipped);
  }
  await screen.line(`Copied the ${report.of} to ${destination}: ${report.bytes} bytes.`, "green");
  await printSwept(screen, report.leftovers);
  await screen.line("Its watermark, to be kept apart from the store:");
  await screen.value(report.watermark);
  return await tellSkipped(screen, report.skipped);
}
