/** Searching the bytes of a store's files, logs included. */

const FILES = ["", "-wal", "-journal", ".deletions", ".deletions-wal", ".deletions-journal"] as const;

/** Whether any file of the store under this path holds some text, in UTF-8. */
export function storeHolds(path: string, text: string): boolean {
  return FILES.some((suffix) => {
    try {
      return new TextDecoder("latin1").decode(Deno.readFileSync(path + suffix)).includes(text);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}
