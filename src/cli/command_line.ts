/** The whole command line: parses the arguments, runs one command, reports failures, returns the exit code. */

import { Command, CommanderError } from "commander";
import { PACKAGE_VERSION } from "../package_version.ts";
import { BACKUP } from "./commands/backup_command.ts";
import { CHECK } from "./commands/check_command.ts";
import { type Answer, type Declare, flagsFor, INSTALLED, type Run } from "./commands/command.ts";
import { CONTEXT } from "./commands/context_command.ts";
import { DELETE } from "./commands/delete_command.ts";
import { DEMO } from "./commands/demo_command.ts";
import { ERASE } from "./commands/erase_command.ts";
import { EXPORT } from "./commands/export_command.ts";
import { CommandError, type Failure, failureOf, usageError } from "./terminal/failure.ts";
import { wrapHelp } from "./help_text.ts";
import { IMPORT } from "./commands/import_command.ts";
import { INSPECT } from "./commands/inspect_command.ts";
import { Interruption } from "./terminal/interruption.ts";
import { PRUNE } from "./commands/prune_command.ts";
import { RESTORE } from "./commands/restore_command.ts";
import { ReaderGone, Screen, type Streams } from "./terminal/screen.ts";
import { SEARCH } from "./commands/search_command.ts";
import { SESSIONS } from "./commands/sessions_command.ts";
import { systemFailure } from "./terminal/system_failure.ts";
import { TAIL } from "./commands/tail_command.ts";
import { VERIFY } from "./commands/verify_command.ts";

const COMMANDS: readonly Declare[] = [
  ...[INSPECT, SESSIONS, TAIL, SEARCH, CONTEXT, CHECK, PRUNE, DELETE, ERASE, VERIFY],
  ...[BACKUP, RESTORE, EXPORT, IMPORT, DEMO],
];

const HELP_COLUMNS_MAX = 100;

const SEE_HELP = "See --help.";

/** The least number of columns at which a wrapped description is easier to read than an unbroken one. */
const BROKEN_COLUMNS_MIN = 16;

const AFTER = `
Exit status:
  0    done
  1    refused by the store, a file or a permission; the check, receipt or scrub failed; or the output could \
not be written
  2    usage error
  3    done without the damaged rows that --skip-damaged left out; the command lists them
  130  interrupted (143 by SIGTERM); nothing is left half done

A command needs --allow-read for the directories of its files, and --allow-write as well if it writes; the help of \
each command says which. To install it with the permissions of all commands:
  deno install --global --name holdfast ${flagsFor("write")} \\
    ${INSTALLED}

Stored text is shown only on request, with control characters escaped; --json prints it exactly. \
Colours and progress appear on a terminal only; NO_COLOR turns colours off.`;

/** Runs the command that the arguments name; resolves to the exit code. */
export async function runCommandLine(
  args: readonly string[],
  streams: Streams = { output: Deno.stdout, errors: Deno.stderr },
): Promise<number> {
  using interruption = new Interruption();
  const screen = new Screen(streams, {
    json: args.slice(0, endOfOptions(args)).includes("--json"),
    signal: interruption.signal,
  });
  let exitCode = 0;
  const run: Run = async (work) => {
    exitCode = exitCodeOf(await work({ screen, signal: interruption.signal }));
  };
  try {
    await makeProgram(screen, run).parseAsync(args, { from: "user" });
    await screen.flush();
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) return 0;
    return await reportFailure({ screen, interruption, args }, error);
  }
}

function exitCodeOf(answer: Answer): number {
  if (answer === "skipped") return 3;
  return answer ? 0 : 1;
}

/** Prints the failure on standard error, as one line or one JSON object, after everything printed before. */
async function reportFailure(
  { screen, interruption, args }: {
    readonly screen: Screen;
    readonly interruption: Interruption;
    readonly args: readonly string[];
  },
  error: unknown,
): Promise<number> {
  const isShown = error instanceof CommanderError && error.exitCode === 0;
  try {
    await screen.flush();
    if (isShown) return 0;
  } catch (unprinted) {
    if (unprinted instanceof ReaderGone) return 0;
    // Report what ended the command, unless work was completed whose result could not be printed.
    if (isShown || isOfCompleted(unprinted)) error = unprinted;
  }
  const failure = interruption.exitCode !== null && interruption.signal.reason === error
    ? interrupted(interruption.exitCode)
    : error instanceof CommanderError
    ? parserFailure(error, operandsOf(args))
    : failureOf(systemFailure(error, "A file cannot be used"), operandsOf(args)[0]);
  await (screen.json ? screen.noteValue(valueOf(failure)) : screen.note(lineOf(failure)));
  return failure.exitCode;
}

function isOfCompleted(error: unknown): boolean {
  return error instanceof CommandError && error.details.done === true;
}

function valueOf({ code, reason, message, advice, details, exitCode }: Failure): unknown {
  const head = reason === undefined ? { code, message } : { code, reason, message };
  return { error: { ...head, advice, details, exitCode } };
}

function lineOf({ code, reason, message, advice }: Failure): string {
  const codes = reason === undefined ? code : `${code} ${reason}`;
  return `holdfast: ${codes}: ${sentence(message)} ${advice}`.trimEnd();
}

/** The arguments that are no options. The command comes first: no option before it takes a value. */
function operandsOf(args: readonly string[]): readonly string[] {
  return args.filter((argument) => !argument.startsWith("-"));
}

/** Arguments after `--` are no options. */
function endOfOptions(args: readonly string[]): number {
  const end = args.indexOf("--");
  return end < 0 ? args.length : end;
}

function sentence(text: string): string {
  return /(?:[.!?]|\.\))$/.test(text) ? text : `${text}.`;
}

function interrupted(exitCode: number): Failure {
  return {
    code: "INTERRUPTED",
    message: "Nothing is left half done",
    advice: "Repeat the command to go on.",
    details: {},
    exitCode,
  };
}

/** The parser's error on one line. Without a known command the parser would print the whole help instead. */
function parserFailure(error: CommanderError, [command, name]: readonly string[]): Failure {
  if (error.code === "commander.help") {
    const text = command === "help" ? `Unknown command '${name}'` : "A command is needed";
    return usageError(text, SEE_HELP);
  }
  const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return error.code === "commander.unknownCommand" ? usageError(text, SEE_HELP) : usageError(text);
}

function makeProgram(screen: Screen, run: Run): Command {
  const columns = Math.min(screen.columns ?? HELP_COLUMNS_MAX, HELP_COLUMNS_MAX);
  const program = new Command("holdfast")
    .description("Inspects and maintains a store of Holdfast: memory for AI-agent harnesses.")
    .version(
      screen.json ? JSON.stringify({ version: PACKAGE_VERSION }) : PACKAGE_VERSION,
      "--version",
      "show the version",
    )
    .option("--json", "print one JSON value, and errors as JSON")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .addHelpText("after", AFTER)
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: BROKEN_COLUMNS_MIN,
      subcommandTerm: (command) => command.name(),
    })
    .exitOverride();
  // By default the parser reads environment variables to choose colours, which needs a permission we do not have.
  program.configureOutput({
    writeOut: (text) => screen.own(wrapHelp(text, columns)),
    writeErr: () => {},
    outputError: () => {},
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    getOutHelpWidth: () => columns,
    getErrHelpWidth: () => columns,
  });
  for (const declare of COMMANDS) declare(program, run);
  return program;
}
