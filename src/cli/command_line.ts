/** The whole command line: parses the words, runs one command, tells what went wrong, gives the exit code. */

import { Command, CommanderError } from "commander";
import { PACKAGE_VERSION } from "../package_version.ts";
import { BACKUP } from "./commands/backup_command.ts";
import { CHECK } from "./commands/check_command.ts";
import { type Answer, type Declare, flagsFor, INSTALLED, type Run } from "./commands/command.ts";
import { CONTEXT } from "./commands/context_command.ts";
import { DELETE } from "./commands/delete_command.ts";
import { DEMO } from "./commands/demo_command.ts";
import { EXPORT } from "./commands/export_command.ts";
import { CommandError, type Failure, failureOf, wrongWords } from "./terminal/failure.ts";
import { folded } from "./help_text.ts";
import { IMPORT } from "./commands/import_command.ts";
import { INSPECT } from "./commands/inspect_command.ts";
import { Interruption } from "./terminal/interruption.ts";
import { PRUNE } from "./commands/prune_command.ts";
import { RESTORE } from "./commands/restore_command.ts";
import { ReaderGone, Screen, type Streams } from "./terminal/screen.ts";
import { SEARCH } from "./commands/search_command.ts";
import { systemFailure } from "./terminal/system_failure.ts";
import { VERIFY } from "./commands/verify_command.ts";

const COMMANDS: readonly Declare[] = [
  ...[INSPECT, SEARCH, CONTEXT, CHECK, PRUNE, DELETE, VERIFY],
  ...[BACKUP, RESTORE, EXPORT, IMPORT, DEMO],
];

const HELP_COLUMNS_MAX = 100;

/** Columns of a description from which on breaking it makes it easier to read. */
const BROKEN_COLUMNS_MIN = 16;

const AFTER = `
Exit status:
  0    done
  1    refused by the store, a file or a permission; a check, receipt or scrub that is not in order; or output \
that could not be written
  2    the words were wrong
  3    done, but --skip-damaged left damaged rows out, and the command says which
  130  interrupted (143 by SIGTERM); nothing is left half done

A command needs --allow-read for the directories of the files it is given, and --allow-write as well if it writes; \
--help of each command says which. To install it with what all commands need:
  deno install --global --name holdfast ${flagsFor("write")} \\
    ${INSTALLED}

Stored text is shown only where it is asked for, with control characters spelled out; --json has it exactly. \
Colours and progress are shown on a terminal only; NO_COLOR turns colours off.`;

/** Runs the command that the words say; gives the exit code. */
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
    return await tellFailure({ screen, interruption, args }, error);
  }
}

function exitCodeOf(answer: Answer): number {
  if (answer === "skipped") return 3;
  return answer ? 0 : 1;
}

/** One line on standard error, or one JSON object; what was printed before comes first. */
async function tellFailure(
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
    // What ended the command matters more, unless something was done before.
    if (isShown || isOfDone(unprinted)) error = unprinted;
  }
  const failure = interruption.exitCode !== null && interruption.signal.reason === error
    ? interrupted(interruption.exitCode)
    : error instanceof CommanderError
    ? ofParser(error, wordsOf(args))
    : failureOf(systemFailure(error, "A file cannot be used"), wordsOf(args)[0]);
  await (screen.json ? screen.noteValue(valueOf(failure)) : screen.note(lineOf(failure)));
  return failure.exitCode;
}

function isOfDone(error: unknown): boolean {
  return error instanceof CommandError && error.details.done === true;
}

function valueOf({ code, reason, message, advice, details, exitCode }: Failure): unknown {
  const told = reason === undefined ? { code, message } : { code, reason, message };
  return { error: { ...told, advice, details, exitCode } };
}

function lineOf({ code, reason, message, advice }: Failure): string {
  const codes = reason === undefined ? code : `${code} ${reason}`;
  return `holdfast: ${codes}: ${sentence(message)} ${advice}`.trimEnd();
}

/** What is no option: the command first, since no option before it takes a value. */
function wordsOf(args: readonly string[]): readonly string[] {
  return args.filter((word) => !word.startsWith("-"));
}

/** Words after `--` are no options. */
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

/** The parser's words on one line; where no command is named, or `help` of none, it would show the help. */
function ofParser(error: CommanderError, [command, name]: readonly string[]): Failure {
  if (error.code === "commander.help") {
    const told = command === "help" ? `Unknown command '${name}'` : "A command is needed";
    return wrongWords(told, "Say --help.");
  }
  const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
  const told = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return error.code === "commander.unknownCommand" ? wrongWords(told, "Say --help.") : wrongWords(told);
}

function makeProgram(screen: Screen, run: Run): Command {
  const columns = Math.min(screen.columns ?? HELP_COLUMNS_MAX, HELP_COLUMNS_MAX);
  const program = new Command("holdfast")
    .description("Looks into and looks after a store of Holdfast: memory for AI-agent harnesses.")
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
  // By default the parser asks the environment whether colours are wanted, for which there is no permission.
  program.configureOutput({
    writeOut: (text) => screen.own(folded(text, columns)),
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
