/** A private directory of a test, and the files in it. */

import { createHash } from "node:crypto";

/** Windows keeps no permission bits. */
export const HAS_MODES: boolean = Deno.build.os !== "windows";

/** A directory under the system's temporary one, removed with everything in it when its block ends. */
export class Scratch implements Disposable {
  readonly path: string;

  /** Makes one under the system's temporary directory, or under another. */
  constructor(under?: string) {
    const place = under === undefined ? {} : { dir: under };
    this.path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "holdfast_files_", ...place }));
  }

  /** The path of a name in it. */
  at(name: string): string {
    return `${this.path}/${name}`;
  }

  /** Makes a file of mode 0600, or of another. */
  write(name: string, content: string | Uint8Array = "", mode: number = 0o600): string {
    const path = this.at(name);
    Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    if (HAS_MODES) Deno.chmodSync(path, mode);
    return path;
  }

  /** Makes a directory of mode 0700, or of another. */
  makeDirectory(name: string, mode: number = 0o700): string {
    const path = this.at(name);
    Deno.mkdirSync(path);
    if (HAS_MODES) Deno.chmodSync(path, mode);
    return path;
  }

  /** Every name in it, sorted. */
  names(): string[] {
    return namesIn(this.path);
  }

  /** The SHA-256 of every regular file in it, and the kind of everything else, by name. */
  digests(): Record<string, string> {
    return Object.fromEntries(this.names().map((name) => [name, digestOf(this.at(name))]));
  }

  /** The permission bits of everything in it, in octal, by name. */
  modes(): Record<string, string> {
    return modesIn(this.path);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** Every name in a directory, sorted. */
export function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
}

/** The permission bits of everything in a directory, in octal, by name; files removed meanwhile are left out. */
export function modesIn(directory: string): Record<string, string> {
  const modes: [string, string][] = [];
  for (const name of namesIn(directory)) {
    try {
      const { mode } = Deno.lstatSync(`${directory}/${name}`);
      modes.push([name, ((mode ?? 0) & 0o7777).toString(8).padStart(4, "0")]);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return Object.fromEntries(modes);
}

function digestOf(path: string): string {
  const info = Deno.lstatSync(path);
  if (info.isSymlink) return `link to ${Deno.readLinkSync(path)}`;
  if (!info.isFile) return "no regular file";
  return createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
}
