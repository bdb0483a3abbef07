/** The command line's own files: reads them, or creates them as private files. Never prompts for permissions. */

import type { ErrorDetails } from "../../errors.ts";
import { MemoryError, StorageError } from "../../errors.ts";
import { requirePermissions } from "../../platform/permissions.ts";
import { SMALL_FILE_BYTES_MAX } from "../../limits.ts";
import type { filesOf } from "../../memory.ts";
import { parsePath } from "../../open.ts";
import { CommandError, usageError } from "../terminal/failure.ts";
import { systemFailure } from "../terminal/system_failure.ts";

/** The name that means standard input or output. */
export const STANDARD = "-";

/** Requires the permissions for a file, or for its directory; the error names the missing flags. */
function requireAccess(path: string, what: string, readOnly: boolean): void {
  const names = readOnly ? ["read"] as const : ["read", "write"] as const;
  if (names.every((name) => Deno.permissions.querySync({ name, path }).state === "granted")) return;
  requireDirectoryAccess(parsePath(what, path).parent, what, readOnly);
}

function requireDirectoryAccess(directory: string, what: string, readOnly: boolean): void {
  try {
    requirePermissions([directory], readOnly);
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== "PERMISSION") throw error;
    const { flags } = error.details as ErrorDetails & { readonly flags: readonly string[] };
    throw new CommandError("PERMISSION", `Cannot open the ${what}: run Deno with ${flags.join(" ")}`, {
      details: error.details,
    });
  }
}

/** Requires that a file exists; returns its size in bytes. */
export function requireFile(path: string, what: string, readOnly: boolean): number {
  requireAccess(path, what, readOnly);
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
    throw new CommandError("NOT_FOUND", `There is no file ${path}`, {
      advice: `Check the path of the ${what}.`,
    });
  }
}

/** Refuses a file of the store itself: closing it after reading would drop the locks of the open store. */
export function requireApart(path: string, what: string, stores: readonly string[]): void {
  const { dev, ino } = Deno.statSync(path);
  for (const store of stores) {
    if (!isThere(store, "store", true)) continue;
    const file = Deno.statSync(store);
    if (file.dev !== dev || file.ino !== ino || ino === null) continue;
    throw usageError(`The ${what} are the store itself`, "Pass the file that `export` made.");
  }
}

/** Whether anything exists under that name. */
export function isThere(path: string, what: string, readOnly: boolean): boolean {
  requireAccess(path, what, readOnly);
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Reads a small JSON value from a file or standard input. */
export async function readJson(path: string, what: string, signal: AbortSignal): Promise<unknown> {
  let text = "";
  let bytes = 0;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of readChunks(path, what, { signal })) {
    bytes += chunk.length;
    if (bytes > SMALL_FILE_BYTES_MAX) throw notJson(what);
    text += decodedOr(() => decoder.decode(chunk, { stream: true }), what);
  }
  return decodedOr(() => JSON.parse(text), what);
}

function decodedOr<T>(decode: () => T, what: string): T {
  try {
    return decode();
  } catch {
    throw notJson(what);
  }
}

function notJson(what: string): CommandError {
  return new CommandError("CONTRACT", `The ${what} is not JSON, or too large`, {
    advice: "Pass the file that holdfast printed it to.",
  });
}

/** Requires a file, or a standard input that is not a terminal, where the command would seem to hang. */
export function requireSource(path: string, what: string): void {
  if (path !== STANDARD) requireNotDirectory(path, what);
  else if (Deno.stdin.isTerminal()) {
    throw usageError(`Cannot read the ${what} from a terminal`, `Pass a file, or pipe the ${what} in.`);
  }
}

function requireNotDirectory(path: string, what: string): void {
  requireFile(path, what, true);
  if (!Deno.statSync(path).isDirectory) return;
  throw new CommandError("NOT_FOUND", `${path} is a directory, not a file`, {
    advice: `Check the path of the ${what}.`,
  });
}

/** The bytes of a file or of standard input, in chunks. */
export async function* readChunks(
  path: string,
  what: string,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes?: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  requireSource(path, what);
  const readable = path === STANDARD ? Deno.stdin.readable : (await Deno.open(path)).readable;
  const reader = readable.getReader();
  // Standard input may never deliver anything.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await orSystemFailure(() => reader.read(), `Cannot read the ${what}`);
      signal.throwIfAborted();
      if (done) return;
      total += value.length;
      onBytes?.(total);
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    await reader.cancel();
  }
}

async function orSystemFailure<T>(call: () => Promise<T>, cannot: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw systemFailure(error, cannot);
  }
}

type Files = NonNullable<Awaited<ReturnType<typeof filesOf>>>;

/**
 * A private file that is being written under its name with `.partial`. It gets its name once it is complete, or is removed
 * when it is disposed. The store that it is exported from remembers it until then.
 */
export class PrivateFile implements AsyncDisposable {
  readonly #work: Awaited<ReturnType<Files["create"]>>;

  private constructor(work: Awaited<ReturnType<Files["create"]>>) {
    this.#work = work;
  }

  /** Creates the file; throws `EXISTS` if the name is taken. */
  static async make(path: string, what: string, files: Files): Promise<PrivateFile> {
    const { parent } = parsePath(what, path);
    requireDirectoryAccess(parent, what, false);
    if (!isThere(parent, what, false)) {
      throw new CommandError("NOT_FOUND", `There is no directory for ${path}`, {
        advice: "Create it first.",
      });
    }
    return new PrivateFile(await files.create(what, path));
  }

  write(text: string): void {
    writing(() => this.#work.write(new TextEncoder().encode(text)));
  }

  /** Syncs the file and gives it its name. */
  finish(): void {
    writing(() => this.#work.publish());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work[Symbol.asyncDispose]();
  }
}

/** Reports a failed write as one of this file, since advice for a store's files does not apply. */
function writing(call: () => void): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === "EXISTS") throw error;
    throw systemFailure(error.cause ?? error, "Cannot write the file");
  }
}

/** Requires a directory in which files can be created. */
export function requireDirectory(path: string): void {
  requirePermissions([path], false);
  try {
    if (Deno.statSync(path).isDirectory) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
  }
  throw new CommandError("NOT_FOUND", `There is no directory ${path}`, { advice: "Create it first." });
}
