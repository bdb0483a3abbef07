/** `export`: writes a conversation or the whole store as JSON Lines. */

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
import { usageError } from "../terminal/failure.ts";
import { PrivateFile, STANDARD } from "./file_access.ts";
import { Progress } from "../terminal/progress.ts";
import { damagedOption, reportSkipped, type SkippingOptions, withSkipDamaged } from "./skipping.ts";

interface ExportOptions extends StoreOptions, SkippingOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly showContent?: true;
  /** False with `--no-content`. */
  readonly content: boolean;
}

/** Declares the command. */
export const EXPORT: Declare = (program, run) => {
  withSkipDamaged(storeCommand(program, "export", {
    summary: "Write a conversation or the whole store as JSON Lines",
    access: "write",
    example: "DIR/agent.db DIR/store.jsonl",
    more:
      "The lines hold values and texts. With --no-content they hold ids, revisions, counts and bytes only, are no " +
      "backup, and cannot be imported. Lines are JSON, with or without --json. For standard output --allow-read is " +
      "enough. A file is private; existing files are never overwritten.",
  }))
    .argument("[file]", "the file to create; - for standard output", STANDARD)
    .option("--tenant <id>", "the tenant of the conversation; with --session")
    .option("--session <id>", "only this conversation; with --tenant")
    .option(
      "--show-content",
      "write values and texts (the default) without printing a note about them",
    )
    .option("--no-content", "leave out values and texts; the result cannot be imported")
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
    throw usageError("--tenant and --session need each other");
  }
  if (showContent && !content) throw usageError("Pass either --show-content or --no-content");
  const scope = tenant === undefined || sessionId === undefined
    ? {}
    : { scope: { tenantId: tenant, sessionId } };
  const exportOptions = { ...scope, includeContent: content, ...damagedOption(options), signal };
  // The store remembers a file until it is complete, so it must be writable.
  await using memory = await openStore(store, options, path === STANDARD ? "read" : "write");
  const skipped = path === STANDARD
    ? await printLines(session, memory, exportOptions)
    : await makeFile(session, memory, path, exportOptions);
  if (content && !showContent) {
    await (screen.json ? screen.noteValue({ note: CONTENT_NOTE }) : screen.note(CONTENT_NOTE));
  }
  return await reportSkipped(screen, skipped);
}

const CONTENT_NOTE = "The lines hold stored values and texts: keep them as private as the store. " +
  "--no-content leaves them out; --show-content suppresses this note.";

async function printLines(
  { screen }: Session,
  memory: Memory,
  options: ExportLinesOptions,
): Promise<readonly DamagedRow[]> {
  const lines = memory.exportLines(options);
  for await (const line of lines) await screen.lines(line);
  return lines.skipped;
}

async function makeFile(
  session: Session,
  memory: Memory,
  path: string,
  options: ExportLinesOptions,
): Promise<readonly DamagedRow[]> {
  const { screen } = session;
  const { lines, skipped } = await writeFile(session, memory, path, options);
  screen.completed("The file is complete.");
  if (screen.json) await screen.value({ file: path, lines, ...(skipped.length === 0 ? {} : { skipped }) });
  else await screen.line(`Wrote ${counted(lines, "line")} to ${path}.`, "green");
  return skipped;
}

async function writeFile(
  { screen }: Session,
  memory: Memory,
  path: string,
  options: ExportLinesOptions,
): Promise<{ readonly lines: number; readonly skipped: readonly DamagedRow[] }> {
  await using file = await PrivateFile.make(path, "file", (await filesOf(memory))!);
  using progress = new Progress(screen);
  let count = 0;
  const lines = memory.exportLines(options);
  for await (const line of lines) {
    file.write(line);
    progress.show("writing lines", ++count);
  }
  file.finish();
  return { lines: count, skipped: lines.skipped };
}
