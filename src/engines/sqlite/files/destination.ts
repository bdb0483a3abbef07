/** The destination of a backup or another private file. */

import { requirePermissions } from "../../../platform/permissions.ts";
import { inspectDirectory, makePrivateDirectory } from "./private_file.ts";
import { type FilePath, parseFilePath, resolveFile } from "./store_path.ts";

/** Resolves a destination; creates its directory if it is missing, and requires that it is safe. */
export function prepareDestination(field: string, destination: unknown): FilePath {
  const given = parseFilePath(field, destination);
  requirePermissions([given.parent], false);
  makePrivateDirectory(given.parent);
  const file = resolveFile(given);
  requirePermissions([file.directory], false);
  inspectDirectory(file.directory);
  return file;
}
