/** `restore`: makes a backup the live store, without what was deleted since. */

import type { RestoreReport } from "../../contracts/options/backup_options.ts";
import type { Watermark } from "../../contracts/watermark.ts";
import { restoreMemory } from "../../open.ts";
import { planRestore, type RestoreOptions } from "../../restore.ts";
import { counted, countedAll, type Declare, requirePath, type Session, withPermissions } from "./command.ts";
import { CommandError, usageError, validatingFile } from "../terminal/failure.ts";
import { isThere, readJson, requireFile } from "./file_access.ts";
import { Progress } from "../terminal/progress.ts";
import type { Screen } from "../terminal/screen.ts";

interface RestoreCommandOptions {
  readonly ledger: string;
  readonly watermark?: string;
  readonly ledgerExport?: string;
  readonly ledgerLost?: true;
  readonly yes?: true;
}

const MORE = "Restore a backup to a new file, and make it the live store.\n\n" +
  "Without --yes it only checks that backup, ledger and watermark belong together, and says what it would do; only " +
  "the restore itself finds damage inside the backup. A restore first applies every deletion that the ledger has recorded " +
  "since the backup, so that nothing deleted comes back. The previous store is fenced off from then on (it answers " +
  "REPLACED); its files are listed, so that you can remove them. To restore to the old name, move the old file and its " +
  "-wal and -shm away first; leave the ledger in place.";

/** Declares the command. */
export const RESTORE: Declare = (program, run) => {
  withPermissions(
    program.command("restore"),
    "write",
    "DIR/monday.backup DIR/restored.db \\\n    --ledger DIR/agent.db.deletions --watermark DIR/watermark.json --yes",
  )
    .summary("Make a backup the live store, without what was deleted since")
    .description(`${MORE}\n\n${FILES}`)
    .argument("<backup>", "the file that `backup` made")
    .argument("<destination>", "the store's new file; it must not exist yet")
    .requiredOption("--ledger <file>", "the deletion ledger")
    .option(
      "--watermark <file|json>",
      "what the ledger must contain: the output of `backup` or `inspect --json`",
    )
    .option(
      "--ledger-export <file>",
      "the ledger is lost: create a new one from this copy; what was deleted after the copy comes back",
    )
    .option(
      "--ledger-lost",
      "the ledger is lost: create a new one; what was deleted after the backup comes back",
    )
    .option("--yes", "restore; without it, only show what would be done")
    .action((backup: string, destination: string, options: RestoreCommandOptions) =>
      run((session) => restore(session, backup, destination, options))
    );
};

const FILES =
  "What happens to the files: the backup, and a ledger copy given with --ledger-export, are only read. The new " +
  "store is written in the directory of <destination> under another name, and gets its own once it has been checked. The ledger stays where it is; one " +
  "commit to it makes the new store live (with --ledger-export or --ledger-lost it is created there). The files of the " +
  "previous store stay unchanged, and are never removed.";

async function restore(
  session: Session,
  backup: string,
  destination: string,
  options: RestoreCommandOptions,
): Promise<boolean> {
  const { screen, signal } = session;
  if ((options.watermark === undefined) === (options.ledgerLost === undefined)) {
    throw usageError("Pass either --watermark or --ledger-lost");
  }
  if (options.ledgerExport !== undefined && options.ledgerLost !== undefined) {
    throw usageError("Pass either --ledger-export or --ledger-lost");
  }
  requirePath(destination);
  const bytes = requireFile(backup, "backup", true);
  requireFree(destination, options);
  const restoreOptions: RestoreOptions = options.watermark === undefined
    ? { deletionPath: options.ledger, ledgerLost: true }
    : {
      deletionPath: options.ledger,
      watermark: await readWatermark(options.watermark, signal),
      ledgerExport: options.ledgerExport,
    };
  if (!options.yes) {
    const newer = await validatingFile(() => planRestore(backup, { ...restoreOptions, signal }));
    await printPlan(screen, { backup, destination, bytes, newer }, restoreOptions);
    return true;
  }
  using progress = new Progress(screen);
  const steps = { copy: "copying", apply: "applying deletions", check: "checking the copy" };
  const restored = await validatingFile(() =>
    restoreMemory(backup, destination, {
      ...restoreOptions,
      signal,
      onProgress: ({ step, done }) => progress.show(steps[step], done, step === "copy" ? bytes : null),
    })
  );
  screen.completed(`The store was restored: inspect it with --ledger ${options.ledger}.`);
  await restored.close();
  await printReport(screen, { destination, ledger: options.ledger }, restored.restored!);
  return true;
}

function requireFree(destination: string, { ledger, ledgerExport, ledgerLost }: RestoreCommandOptions): void {
  if (isThere(destination, "destination", false)) {
    throw new CommandError("EXISTS", "The destination exists already", {
      advice:
        "Choose another name, or move the old store and its -wal and -shm away; leave the ledger in place.",
    });
  }
  if (ledgerExport !== undefined) requireFile(ledgerExport, "exported ledger", true);
  else if (!ledgerLost) requireFile(ledger, "ledger", false);
}

/** Reads a watermark, or a report that contains one, from JSON or from a file. */
async function readWatermark(given: string, signal: AbortSignal): Promise<Watermark> {
  const value = given.trimStart().startsWith("{")
    ? parseWatermark(given)
    : await readJson(given, "watermark", signal);
  const { watermark = value } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly watermark?: unknown;
  };
  return watermark as Watermark;
}

function parseWatermark(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError("--watermark is not JSON", "Pass what `backup` printed, or the file that holds it.");
  }
}

async function printPlan(
  screen: Screen,
  files: {
    readonly backup: string;
    readonly destination: string;
    readonly bytes: number;
    readonly newer: number | null;
  },
  options: RestoreOptions,
): Promise<void> {
  const ledger = String(options.deletionPath);
  if (screen.json) {
    const { newer: deletions, ...named } = files;
    const ledgerLost = options.ledgerLost === true;
    return void await screen.value({ done: false, ...named, ledger, ledgerLost, deletions });
  }
  await screen.line(`Would copy ${files.backup} (${files.bytes} bytes) to ${files.destination}.`);
  if (options.ledgerLost === true) {
    await screen.line(
      `Would create a new ledger at ${ledger}: what was deleted after the backup comes back.`,
    );
  } else {
    const from = options.ledgerExport === undefined ? ledger : String(options.ledgerExport);
    const deletions = files.newer === null ? "every deletion" : counted(files.newer, "deletion");
    await screen.line(`Would apply ${deletions} that ${from} has recorded since the backup.`);
    if (options.ledgerExport !== undefined) {
      await screen.line(`Would create a new ledger at ${ledger} from it.`);
    }
  }
  await screen.line(
    `Would fence off every other store of the ledger ${ledger}: they answer REPLACED from then on.`,
  );
  await screen.line("Nothing was done. To do it, add: --yes", "bold");
}

async function printReport(
  screen: Screen,
  { destination, ledger }: { readonly destination: string; readonly ledger: string },
  report: RestoreReport,
): Promise<void> {
  if (screen.json) return void await screen.value({ done: true, ...report });
  await screen.line(`Restored to ${destination}, generation ${report.generation}.`, "green");
  await screen.line(`Erased what was deleted after the backup: ${countedAll({ ...report.erased })}.`);
  for (const path of report.fenced) await screen.line(`Fenced off; remove it: ${path}`);
  if (ledger !== `${destination}.deletions`) {
    await screen.line(`From now on, pass its ledger: --ledger ${ledger}`);
  }
}
