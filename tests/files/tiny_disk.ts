import assert from "node:assert/strict";
import { Scratch } from "./scratch.ts";

/** A small file system in memory, mounted on a directory of its own; mounting needs root on Linux. */
export class TinyDisk implements Disposable {
  readonly #scratch = new Scratch();
  readonly path: string = this.#scratch.makeDirectory("disk");

  /** Mounts one of so many KiB. */
  constructor(kibibytes: number) {
    const mounted = mount(this.path, kibibytes);
    if (!mounted) this.#scratch[Symbol.dispose]();
    assert(mounted, "cannot mount a file system");
  }

  /** The path of a name on it. */
  at(name: string): string {
    return `${this.path}/${name}`;
  }

  /** Fills it, except for so many KiB. */
  fill(freeKibibytes: number = 0): void {
    const filler = Deno.openSync(this.at("filler"), {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    try {
      const block = new Uint8Array(1_024).fill(1);
      for (;;) filler.writeSync(block);
    } catch {
      const { size } = filler.statSync();
      filler.truncateSync(Math.max(0, size - freeKibibytes * 1_024));
    } finally {
      filler.close();
    }
  }

  /** Frees the space again. */
  empty(): void {
    Deno.removeSync(this.at("filler"));
  }

  [Symbol.dispose](): void {
    run("umount", this.path);
    this.#scratch[Symbol.dispose]();
  }
}

/** Why there can be no tiny disk here; null if there can. */
export function whyNoTinyDisk(): string | null {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "needs root on Linux";
  using scratch = new Scratch();
  if (!mount(scratch.makeDirectory("disk"), 16)) return "nothing can be mounted here";
  run("umount", scratch.at("disk"));
  return null;
}

function mount(path: string, kibibytes: number): boolean {
  return run("mount", "-t", "tmpfs", "-o", `size=${kibibytes}k,mode=0700`, "tmpfs", path);
}

function run(name: string, ...args: readonly string[]): boolean {
  try {
    return new Deno.Command(name, { args: [...args], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
