/** Checks Deno's permissions before a file is used, so that an error can name the missing one. */

import { StorageError } from "../errors.ts";

/** Whether a directory may be read, and unless `readOnly` written; never prompts. */
export function isPermitted(path: string, readOnly: boolean): boolean {
  const names = readOnly ? ["read"] as const : ["read", "write"] as const;
  return names.every((name) => Deno.permissions.querySync({ name, path }).state === "granted");
}

/** Requires permission to read, and unless `readOnly` to write, each directory; never prompts. */
export function requirePermissions(directories: readonly string[], readOnly: boolean): void {
  const names = readOnly ? ["read"] as const : ["read", "write"] as const;
  const flags = [...new Set(directories)].flatMap((path) =>
    names.filter((name) => Deno.permissions.querySync({ name, path }).state !== "granted")
      .map((name) => `--allow-${name}=${nameInFlag(path)}`)
  );
  if (flags.length === 0) return;
  throw new StorageError("PERMISSION", `Cannot open store: run Deno with ${flags.join(" ")}`, {
    details: { flags },
  });
}

/** Whether a file may be written. */
export function mayWrite(path: string): boolean {
  return Deno.permissions.querySync({ name: "write", path }).state === "granted";
}

/** The directory as a flag can name it. Deno splits a flag at commas, so an ancestor without a comma is used. */
function nameInFlag(directory: string): string {
  const comma = directory.indexOf(",");
  if (comma < 0) return directory;
  const cut = lastSeparator(directory.slice(0, comma));
  return cut < 0 ? "." : directory.slice(0, cut) || directory.slice(0, cut + 1);
}

/**
 * Requires the permissions for a directory that will be created.
 *
 * A link in its path may lead out of what was permitted. Directories above those that may be read were permitted by
 * name, and are not checked.
 */
export function requirePermissionsToMake(directory: string): void {
  let above = directory;
  for (;;) {
    if (Deno.permissions.querySync({ name: "read", path: above }).state !== "granted") return;
    const real = realPathOrNull(above);
    if (real !== null) {
      requirePermissions([`${real}${directory.slice(above.length)}`], false);
      return;
    }
    const cut = lastSeparator(above);
    if (cut <= 0) return;
    above = above.slice(0, cut);
  }
}

function realPathOrNull(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}

/** The user id of this process; null on Windows or without `--allow-sys=uid`. */
export function currentUser(): number | null {
  if (Deno.build.os === "windows") return null;
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? Deno.uid() : null;
}

/** Whether paths may be written with backslashes. */
export const IS_WINDOWS: boolean = Deno.build.os === "windows";

/** Index of a path's last separator; -1 if there is none. */
export function lastSeparator(path: string): number {
  const slash = path.lastIndexOf("/");
  return IS_WINDOWS ? Math.max(slash, path.lastIndexOf("\\")) : slash;
}
