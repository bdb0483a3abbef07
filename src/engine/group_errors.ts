/** The errors of the members of a group that failed. */

import { MemoryError, StorageError } from "../errors.ts";
import type { Member } from "./member.ts";

/** Fails the members that had run. The error of one whose deletion is recorded, and thus irrevocable, has its place. */
export function failRecorded(members: readonly Member[], error: unknown): void {
  for (const member of members) {
    if (member.outcome?.kind !== "done") continue;
    const { recorded } = member.outcome;
    if (recorded === null) member.outcome = { kind: "failed", error };
    else {member.outcome = {
        kind: "failed",
        error: withDetails(error, { recorded: { sequence: recorded.sequence, head: recorded.head } }),
      };}
  }
}

/** Makes the error of a commit whose outcome is unknown. */
export function outcomeUnknown(error: unknown): unknown {
  return withDetails(error, { outcome: "unknown" });
}

/** Adds details to a storage error; any other error becomes the cause of one. */
function withDetails(error: unknown, details: Record<string, unknown>): StorageError {
  if (error instanceof StorageError) {
    return new StorageError(error.code, error.message, {
      details: { ...error.details, ...details },
      cause: error,
    });
  }
  const known = error instanceof MemoryError ? error.details : {};
  return new StorageError("IO", "Cannot write: the commit failed", {
    details: { ...known, ...details },
    cause: error,
  });
}
