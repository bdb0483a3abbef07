/** `export`: a conversation or the whole store as JSON Lines. */

import type { DamagedRow } from "../../contracts/damaged.ts";
import type { ExportLinesOptions } from "../../contracts/options/lines_options.ts";
import { filesOf, type Memory } from "../../memory.ts";
import {
  type Answer,
  counted,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { wrongWords } from "../terminal/failure.ts";
import { PrivateFile, STANDARD } from "./file_access.ts";
import { Progress } from "../terminal/progress.ts";
import { damagedOption, type SkippingOptions, tellSkipped, withSkipDamaged } from "./skipping.ts";

interface ExportOptions extends StoreOptions, SkippingOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly showContent?: true;
  /** False with `--no-content`. */
  readonly content: boolean;
}

/** Declares it. */
export const EXPORT: Declare = (program, run) => {
  withSkipDamaged(storeCommand(program, "export", {
    summary: "Write a conversation or the whole store as JSON Lines",
    access: "write",
    example: "DIR/agent.db DIR/store.jsonl",
    more:
      "The lines hold values and texts. With --no-content they show ids, revisions, counts and bytes, are no " +
      "backup and cannot be imported. Lines are JSON, with or without --json. To standard output --allow-read is " +
      "enough. A file is private, and nothing is ever written over.",
  }))
    .argument("[file]", "the file to make; - for standard output", STANDARD)
    .option("--tenant <id>", "whose conversation; with --session")
    .option("--session <id>", "only this conversation; with --tenant")
    .option(
      "--show-content",
      "write values and texts, as without it, but do not print a note that they are in it",
    )
    .option("--no-content", "leave out values and texts: an overview that cannot be imported")
    .action((store: string, file: string, options: ExportOptions) =>
      run((session) => writeExport(session, store, file, options))
    );
};

async function writeExport(
  session: Session,
  store: string,
  path: string,
  { tenant, session: sessionId, showContent, content, ...options }: ExportOptions,
): Promise<Answer> {
  const { screen, signal } = session;
  if ((tenant === undefined) !== (sessionId === undefined)) {
    throw wrongWords("--tenant and --session go together");
  }
  if (showContent && !content) throw wrongWords("Give either --show-content or --no-content");
  const scope = tenant === undefined || sessionId === undefined
    ? {}
    : { scope: { tenantId: tenant, sessionId } };
  const wanted = { ...scope, includeContent: content, ...damagedOption(options), signal };
  // A file in the making is remembered in the store, which has to be written for that.
  await using memory = await openStore(store, options, path === STANDARD ? "read" : "write");
  const skipped = path === STANDARD
    ? await printLines(session, memory, wanted)
    : await makeFile(session, memory, path, wanted);
  if (content && !showContent) {
    await (screen.json ? screen.noteValue({ note: CONTENT_NOTE }) : screen.note(CONTENT_NOTE));
  }
  return await tellSkipped(screen, skipped);
}

const CONTENT_NOTE = "The lines hold stored values and texts: keep them as private as the store. " +
  "--no-content leaves them out, --show-content leaves out this note.";

async function printLines(
  { screen }: Session,
  memory: Memory,
  wanted: ExportLinesOptions,
): Promise<readonly DamagedRow[]> {
  const lines = memory.exportLines(wanted);
  for await (const line of lines) await screen.lines(line);
  return lines.skipped;
}

async function makeFile(
  session: Session,
  memory: Memory,
  path: string,
  wanted: ExportLinesOptions,
): Promise<readonly DamagedRow[]> {
  const { screen } = session;
  const { lines, skipped } = await writeFile(session, memory, path, wanted);
  screen.done("The file is there, and whole.");
  if (screen.json) await screen.value({ file: path, lines, ...(skipped.length === 0 ? {} : { skipped }) });
  else await screen.line(`Wrote ${counted(lines, "line")} to ${path}.`, "green");
  return skipped;
}

async function writeFile(
  { screen }: Session,
  memory: Memory,
  path: string,
  wanted: ExportLinesOptions,
): Promise<{ readonly lines: number; readonly skipped: readonly DamagedRow[] }> {
  await using file = await PrivateFile.make(path, "file", (await filesOf(memory))!);
  using progress = new Progress(screen);
  let count = 0;
  const lines = memory.exportLines(wanted);
  for await (const line of lines) {
    file.write(line);
    progress.tell("writing lines", ++count);
  }
  file.finish();
  return { lines: count, skipped: lines.skipped };
}
