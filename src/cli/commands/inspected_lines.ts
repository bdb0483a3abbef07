/** The details that `inspect` lists below its tables: records, then turns, summary and pins of each conversation. */

import type { InspectedScope } from "../../contracts/options/inspection.ts";
import { ConflictError } from "../../errors.ts";
import type { Memory } from "../../memory.ts";

/** A parsed line of an export; `type` says what it holds. */
export type InspectedLine = { readonly type: string } & Readonly<Record<string, unknown>>;

interface DetailOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly showContent?: true;
  readonly signal: AbortSignal;
}

const FRAME: ReadonlySet<string> = new Set(["header", "mark", "end"]);

/** Reads the details one after another. */
export async function* readDetails(
  memory: Memory,
  scopes: readonly InspectedScope[],
  { tenant, session, showContent = undefined, signal }: DetailOptions,
): AsyncGenerator<InspectedLine> {
  const options = { includeContent: showContent === true, signal };
  if (session === undefined) {
    for await (const line of read(memory.exportLines(options))) {
      // Records come first.
      if (line.type === "scope") break;
      if (tenant === undefined || line.tenant === tenant) yield line;
    }
  }
  for (const { scope } of scopes) {
    try {
      yield* read(memory.exportLines({ ...options, scope }));
    } catch (error) {
      // The conversation was deleted after the tables were read.
      if (!(error instanceof ConflictError && (error.reason === "MISSING" || error.reason === "DELETED"))) {
        throw error;
      }
    }
  }
}

async function* read(lines: AsyncIterable<string>): AsyncGenerator<InspectedLine> {
  for await (const text of lines) {
    const line = JSON.parse(text) as InspectedLine;
    if (!FRAME.has(line.type)) yield line;
  }
}
