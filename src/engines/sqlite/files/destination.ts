/** Where a backup or another private file is to lie. */

import { requirePermissions } from "../../../platform/permissions.ts";
import { inspectDirectory, makePrivateDirectory } from "./private_file.ts";
import { type FilePath, parseFilePath, resolveFile } from "./store_path.ts";

/** A destination in a directory that is there and safe, or is made. */
export function prepareDestination(field: string, destination: unknown): FilePath {
  const given = parseFilePath(field, destination);
  requirePermissions([given.parent], false);
  makePrivateDirectory(given.parent);
  const file = resolveFile(given);
  requirePermissions([file.directory], false);
  inspectDirectory(file.directory);
  return file;
}
