/** `export`: a conversation or the whole store as JSON Lines. */

import type { DamagedRow } from "../contracts/damaged.ts";
import type { ExportLinesOptions } from "../contracts/lines.ts";
import type { Memory } from "../memory.ts";
import {
  type Answer,
  counted,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { wrongWords } from "./failure.ts";
import { PrivateFile, STANDARD } from "./file_access.ts";
import { Progress } from "./progress.ts";
import { damagedOption, type SkippingOptions, tellSkipped, withSkipDamaged } from "./skipping.ts";

interface ExportOptions extends StoreOptions, SkippingOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly showContent?: true;
}

/** Declares it. */
export const EXPORT: Declare = (program, run) => {
  withSkipDamaged(storeCommand(program, "export", {
    summary: "Write a conversation or the whole store as JSON Lines",
    access: "write",
    example: "DIR/agent.db DIR/store.jsonl --show-content",
    more: "Without --show-content the lines show ids, revisions, counts and bytes, and cannot be imported. " +
      "Lines are JSON, with or without --json. To standard output --allow-read is enough. A file is private, and nothing is ever written over.",
  }))
    .argument("[file]", "the file to make; - for standard output", STANDARD)
    .option("--tenant <id>", "whose conversation; with --session")
    .option("--session <id>", "only this conversation; with --tenant")
    .option("--show-content", "write values and texts")
    .action((store: string, file: string, options: ExportOptions) =>
      run((session) => writeExport(session, store, file, options))
    );
};

async function writeExport(
  session: Session,
  store: string,
  path: string,
  { tenant, session: sessionId, showContent, ...options }: ExportOptions,
): Promise<Answer> {
  const { screen, signal } = session;
  if ((tenant === undefined) !== (sessionId === undefined)) {
    throw wrongWords("--tenant and --session go together");
  }
  const scope = tenant === undefined || sessionId === undefined
    ? {}
    : { scope: { tenantId: tenant, sessionId } };
  const wanted = { ...scope, includeContent: showContent === true, ...damagedOption(options), signal };
  await using memory = await openStore(store, options, "read");
  if (path === STANDARD) {
    const lines = memory.exportLines(wanted);
    for await (const line of lines) await screen.lines(line);
    return await tellSkipped(screen, lines.skipped);
  }
  const { lines, skipped } = await writeFile(session, memory, path, wanted);
  screen.done("The file is there, and whole.");
  if (screen.json) await screen.value({ file: path, lines, ...(skipped.length === 0 ? {} : { skipped }) });
  else await screen.line(`Wrote ${counted(lines, "line")} to ${path}.`, "green");
  return await tellSkipped(screen, skipped);
}

async function writeFile(
  { screen }: Session,
  memory: Memory,
  path: string,
  wanted: ExportLinesOptions,
): Promise<{ readonly lines: number; readonly skipped: readonly DamagedRow[] }> {
  using file = PrivateFile.make(path, "file");
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
