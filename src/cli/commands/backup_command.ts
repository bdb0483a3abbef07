/** `backup`: copies a store, or its ledger, as it is at one moment into one private file. */

import {
  type Answer,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { usageError } from "../terminal/failure.ts";
import { printSwept } from "./leftover_lines.ts";
import { Progress } from "../terminal/progress.ts";
import { damagedOption, reportSkipped, type SkippingOptions, withSkipDamaged } from "./skipping.ts";

interface BackupOptions extends StoreOptions, SkippingOptions {
  readonly onlyLedger?: true;
}

/** Declares the command. */
export const BACKUP: Declare = (program, run) => {
  withSkipDamaged(storeCommand(program, "backup", {
    summary: "Copy the store, as it is at one moment, into one private file",
    access: "write",
    example: "DIR/agent.db DIR/monday.backup",
    more:
      "Other processes can keep reading and writing. Existing files are never overwritten. Keep the watermark that it " +
      "prints, or all of its JSON, apart from the store: `restore` accepts either. Completes pending deletions first.",
  }))
    .argument("<destination>", "the file to create; it must not exist yet")
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
    throw usageError("--only-ledger and --skip-damaged exclude each other");
  }
  await using memory = await openStore(store, options, "write");
  using progress = new Progress(screen);
  const onProgress = ({ step, part, rows }: { step: string; part: string; rows: number }): void =>
    progress.show(`${step === "copy" ? "copying" : "checking the copy of"} ${part}`, rows);
  const report = options.onlyLedger
    ? await memory.exportLedger(destination, { signal, onProgress })
    : await memory.backup(destination, { ...damagedOption(options), signal, onProgress });
  screen.completed(
    "The copy was made: for its watermark, use the one that `inspect --json` prints for the store.",
  );
  if (screen.json) {
    await screen.value(report);
    return await reportSkipped(screen, report.skipped);
  }
  await screen.line(`Copied the ${report.of} to ${destination}: ${report.bytes} bytes.`, "green");
  await printSwept(screen, report.leftovers);
  await screen.line("Its watermark; keep it apart from the store:");
  await screen.value(report.watermark);
  return await reportSkipped(screen, report.skipped);
}
