/** `restore`: brings a backup to life again, without what was deleted since. */

import type { RestoreReport } from "../../contracts/options/backup_options.ts";
import type { Watermark } from "../../contracts/watermark.ts";
import { restoreMemory } from "../../open.ts";
import { planRestore, type RestoreOptions } from "../../restore.ts";
import { counted, countedAll, type Declare, requirePath, type Session, withPermissions } from "./command.ts";
import { CommandError, validatingFile, wrongWords } from "../terminal/failure.ts";
import { isThere, readJson, requireFile } from "./file_access.ts";
import { Progress } from "../terminal/progress.ts";
import type { Screen } from "../terminal/screen.ts";

interface RestoreWords {
  readonly ledger: string;
  readonly watermark?: string;
  readonly ledgerExport?: string;
  readonly ledgerLost?: true;
  readonly yes?: true;
}

const MORE = "Restore a backup to a name where nothing is yet, and make it the live store.\n\n" +
  "Without --yes it only says what it would do, once backup, ledger and watermark were found to go together; what is " +
  "damaged inside the backup is found by the restore alone. Every deletion that the ledger has recorded since the backup is " +
  "applied first, so that nothing comes back. The store before it is fenced from then on; its files are named, so " +
  "that they can be removed. To restore to the old name, move the old file and its -wal and -shm away first; the " +
  "ledger stays.";

/** Declares it. */
export const RESTORE: Declare = (program, run) => {
  withPermissions(
    program.command("restore"),
    "write",
    "DIR/monday.backup DIR/restored.db \\\n    --ledger DIR/agent.db.deletions --watermark DIR/watermark.json --yes",
  )
    .summary("Make a backup the live store, without what was deleted since")
    .description(`${MORE}\n\n${FILES}`)
    .argument("<backup>", "the file that `backup` made")
    .argument("<destination>", "the store's new file, where nothing is yet")
    .requiredOption("--ledger <file>", "where the deletion ledger lies")
    .option("--watermark <file|json>", "what the ledger must have: what `backup` or `inspect --json` printed")
    .option(
      "--ledger-export <file>",
      "the ledger is lost, this is a copy of it: make a new one from it; what was deleted since the copy comes back",
    )
    .option(
      "--ledger-lost",
      "the ledger is lost: make a new one; what was deleted since the backup comes back",
    )
    .option("--yes", "do it")
    .action((backup: string, destination: string, options: RestoreWords) =>
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
  options: RestoreWords,
): Promise<boolean> {
  const { screen, signal } = session;
  if ((options.watermark === undefined) === (options.ledgerLost === undefined)) {
    throw wrongWords("Give either --watermark or --ledger-lost");
  }
  if (options.ledgerExport !== undefined && options.ledgerLost !== undefined) {
    throw wrongWords("Give either --ledger-export or --ledger-lost");
  }
  requirePath(destination);
  const bytes = requireFile(backup, "backup", true);
  requireFree(destination, options);
  const held: RestoreOptions = options.watermark === undefined
    ? { deletionPath: options.ledger, ledgerLost: true }
    : {
      deletionPath: options.ledger,
      watermark: await readWatermark(options.watermark, signal),
      ledgerExport: options.ledgerExport,
    };
  if (!options.yes) {
    const newer = await validatingFile(() => planRestore(backup, { ...held, signal }));
    await printPlan(screen, { backup, destination, bytes, newer }, held);
    return true;
  }
  using progress = new Progress(screen);
  const steps = { copy: "copying", apply: "applying deletions", check: "looking through it" };
  const restored = await validatingFile(() =>
    restoreMemory(backup, destination, {
      ...held,
      signal,
      onProgress: ({ step, done }) => progress.tell(steps[step], done, step === "copy" ? bytes : null),
    })
  );
  screen.done(`The store was restored: \`inspect\` shows it, with --ledger ${options.ledger}.`);
  await restored.close();
  await printReport(screen, { destination, ledger: options.ledger }, restored.restored!);
  return true;
}

function requireFree(destination: string, { ledger, ledgerExport, ledgerLost }: RestoreWords): void {
  if (isThere(destination, "destination", false)) {
    throw new CommandError("EXISTS", "Something is at the destination already", {
      advice: "Choose another name, or move the old store and its -wal and -shm away; leave the ledger.",
    });
  }
  if (ledgerExport !== undefined) requireFile(ledgerExport, "exported ledger", true);
  else if (!ledgerLost) requireFile(ledger, "ledger", false);
}

/** A watermark, or a report that has one; JSON as it stands, or the file that holds it. */
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
    throw wrongWords("--watermark is no JSON", "Give what `backup` printed, or the file that holds it.");
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
  held: RestoreOptions,
): Promise<void> {
  const ledger = String(held.deletionPath);
  if (screen.json) {
    const { newer: deletions, ...named } = files;
    const ledgerLost = held.ledgerLost === true;
    return void await screen.value({ done: false, ...named, ledger, ledgerLost, deletions });
  }
  await screen.line(`Would copy ${files.backup} (${files.bytes} bytes) to ${files.destination}.`);
  if (held.ledgerLost === true) {
    await screen.line(`Would make a new ledger at ${ledger}: what was deleted since the backup comes back.`);
  } else {
    const from = held.ledgerExport === undefined ? ledger : String(held.ledgerExport);
    const deletions = files.newer === null ? "every deletion" : counted(files.newer, "deletion");
    await screen.line(`Would apply ${deletions} that ${from} has recorded since the backup.`);
    if (held.ledgerExport !== undefined) await screen.line(`Would make a new ledger at ${ledger} from it.`);
  }
  await screen.line(
    `Would fence every other store of the ledger ${ledger}: they answer REPLACED from then on.`,
  );
  await screen.line("Nothing was done. Say --yes to do it.", "bold");
}

async function printReport(
  screen: Screen,
  { destination, ledger }: { readonly destination: string; readonly ledger: string },
  report: RestoreReport,
): Promise<void> {
  if (screen.json) return void await screen.value({ done: true, ...report });
  await screen.line(`Restored to ${destination}, generation ${report.generation}.`, "green");
  await screen.line(`Erased again, because deleted since: ${countedAll({ ...report.erased })}.`);
  for (const path of report.fenced) await screen.line(`Fenced; remove it: ${path}`);
  if (ledger !== `${destination}.deletions`) {
    await screen.line(`From now on, name its ledger: --ledger ${ledger}`);
  }
}
