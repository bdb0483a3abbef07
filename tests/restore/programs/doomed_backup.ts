/**
 * Backs a store up and is killed at one moment. Arguments: the store's path; the destination; and the moment: a
 * number of a progress report; `making` and `made`, before and after the work file is created; `linked`, when it has
 * its name, and `unlinked`, when that is its only one; or `never`, which prints how many reports there are.
 */
import { openMemory } from "../../../mod.ts";

const [path, destination, moment] = Deno.args as [string, string, string];

const { linkSync, openSync, removeSync } = Deno;

function die(at: string): void {
  if (moment === at) Deno.kill(Deno.pid, "SIGKILL");
}

Deno.linkSync = (from, to): void => {
  linkSync(from, to);
  die("linked");
};
Deno.openSync = (file, options): Deno.FsFile => {
  if (options?.createNew) die("making");
  const opened = openSync(file, options);
  if (options?.createNew) die("made");
  return opened;
};
Deno.removeSync = (path, options): void => {
  removeSync(path, options);
  if (String(path).endsWith(".partial")) die("unlinked");
};

let reports = 0;
await using memory = await openMemory(path);
await memory.backup(destination, {
  onProgress(): void {
    if (String(++reports) === moment) Deno.kill(Deno.pid, "SIGKILL");
  },
});
Deno.stdout.writeSync(new TextEncoder().encode(String(reports)));
