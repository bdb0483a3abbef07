/** What is told of lines that cannot be imported. */

import { ContractError, type ErrorDetails } from "../../errors.ts";
import { CommandError } from "../terminal/failure.ts";

/** How many things were imported before an import ended, by the details of its error. */
export function importedCount({ imported = {} }: ErrorDetails): number {
  return Object.values(imported as Readonly<Record<string, number>>).reduce((sum, count) => sum + count, 0);
}

/** A fault of lines is the file's, not the words'. */
export async function validatingLines<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const { code, message, details } = error;
    throw new CommandError(code, message, { advice: adviceFor(error), details });
  }
}

function adviceFor({ field, details }: ContractError): string {
  if (field === "kind") {
    const what = importedCount(details) === 0 ? "Nothing was imported" : "Lines before it are in";
    return `${what}; records of your own kinds are imported by a program: openMemory(path, { kinds }) and ` +
      "importLines(lines). One conversation can be exported by itself, with --tenant and --session.";
  }
  if (field === "content") return "Nothing was imported; export the store again, without --no-content.";
  if (importedCount(details) === 0) return "Nothing was imported; mend the file and import it again.";
  // Only the closing line tells, and what is in is not written over.
  if (field === "digest") {
    return "What was changed is in and stays: import the lines as they were exported into a new store.";
  }
  return "Lines before it are in; mend the file and import it again.";
}
