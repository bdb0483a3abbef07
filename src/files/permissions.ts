/** Asks Deno for its permissions before a file is touched, so that a missing one is named exactly. */

import { StorageError } from "../errors.ts";

/** Requires the permission to read, and unless `readOnly` to write, a directory; never prompts. */
export function requirePermissions(directory: string, readOnly: boolean): void {
  const missing = (readOnly ? ["read"] as const : ["read", "write"] as const).filter((name) =>
    Deno.permissions.querySync({ name, path: directory }).state !== "granted"
  );
  if (missing.length === 0) return;
  const flags = missing.map((name) => `--allow-${name}=${directory}`);
  throw new StorageError("PERMISSION", `Cannot open store: run Deno with ${flags.join(" ")}`, {
    details: { flags },
  });
}

/** The user this process runs as, where `--allow-sys=uid` lets us know; otherwise null. */
export function currentUser(): number | null {
  if (Deno.build.os === "windows") return null;
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? Deno.uid() : null;
}
