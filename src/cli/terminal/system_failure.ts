/** What the system says of a file or stream that the command line reads or writes itself. */

import { MemoryError } from "../../errors.ts";
import { CommandError } from "./failure.ts";

/** A failure that says what could not be done; what is no system's error, and no permission, stays as it is. */
export function systemFailure(error: unknown, cannot: string): unknown {
  if (!(error instanceof Error) || error instanceof MemoryError || error instanceof CommandError) {
    return error;
  }
  switch ((error as { readonly code?: unknown }).code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new CommandError("FULL", `${cannot}: there is no room`, {
        advice: "Make room, or write elsewhere, then try again.",
      });
    case undefined:
    case "ENOENT":
    case "EEXIST":
    case "EACCES":
    case "EPERM":
      return error;
    default:
      return new CommandError("IO", cannot, {
        advice: "Look at the path, the file and the disk, then try again.",
      });
  }
}
