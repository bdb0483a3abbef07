/** Errors of the operating system on files and streams that the command line itself reads or writes. */

import { MemoryError } from "../../errors.ts";
import { CommandError } from "./failure.ts";

/** Translates a system error into a failure that says what could not be done. Other errors, and permissions, pass through. */
export function systemFailure(error: unknown, cannot: string): unknown {
  if (!(error instanceof Error) || error instanceof MemoryError || error instanceof CommandError) {
    return error;
  }
  switch ((error as { readonly code?: unknown }).code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new CommandError("FULL", `${cannot}: there is no room`, {
        advice: "Free some space, or write elsewhere, then try again.",
      });
    case undefined:
    case "ENOENT":
    case "EEXIST":
    case "EACCES":
    case "EPERM":
      return error;
    default:
      return new CommandError("IO", cannot, {
        advice: "Check the path, the file and the disk, then try again.",
      });
  }
}
