import { toStorageError } from "./private_file.ts";

/**
 * The first bytes of a file; fewer if it is shorter, null if it is not there. Opening and closing a file that SQLite
 * has open in this process would drop its locks, so this is for files that are not open yet.
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
