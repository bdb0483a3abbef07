/** Objects under a file's name that are not regular files. */

import assert from "node:assert/strict";

/** A named pipe, private. */
export function makePipe(path: string): void {
  assert.equal(new Deno.Command("mkfifo", { args: ["-m", "600", path] }).outputSync().success, true);
}

/** A character device, which takes root to make. */
export function makeDevice(path: string): void {
  const { success } = new Deno.Command("mknod", { args: ["-m", "600", path, "c", "1", "3"] }).outputSync();
  assert.equal(success, true);
}

/**
 * A socket, private. A listener removes its own name when it closes; a renamed one stays. The name it listens on is
 * short.
 */
export function makeSocket(path: string): void {
  const first = path.replace(/\/[^/]+\/[^/]+$/, "/s");
  const listener = Deno.listen({ transport: "unix", path: first });
  Deno.renameSync(first, path);
  listener.close();
  Deno.chmodSync(path, 0o600);
}
