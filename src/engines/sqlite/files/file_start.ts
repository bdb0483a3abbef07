import { toStorageError } from "./private_file.ts";

/**
 * Reads the first bytes of a file: fewer if it is shorter, null if it does not exist.
 *
 * Only for logs and work files: closing a descriptor of a database file drops the locks of every connection that this
 * process has to it.
 */
export function readStart(path: string, bytesMax: number): Uint8Array<ArrayBuffer> | null {
  try {
    using file = Deno.openSync(path, { read: true });
    const start = new Uint8Array(Math.min(bytesMax, file.statSync().size));
    let length = 0;
    while (length < start.length) {
      const read = file.readSync(start.subarray(length));
      if (read === null) break;
      length += read;
    }
    return start.slice(0, length);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw toStorageError(error);
  }
}
