/** Tests of the command lines of the programs in bench/, and of how they end. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { Directory } from "../../bench/directories.ts";

const ROOT = `${import.meta.dirname!}/../..`;
const PROGRAMS = ["main.ts", "growth.ts", "peers.ts", "quality/main.ts"];

function bench(args: readonly string[], { root = ROOT, env = {} } = {}): Deno.Command {
  const [program, ...rest] = args;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-lock", `${root}/bench/${program}`, ...rest],
    stdout: "piped",
    stderr: "piped",
    env,
  });
}

async function run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await bench(args).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

for (const program of PROGRAMS) {
  Deno.test(`bench/${program} --help prints its usage and measures nothing`, async () => {
    const { code, stdout } = await run([program, "--help"]);
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: deno task (bench|quality)/);
    assert.match(stdout, /--small /);
  });

  Deno.test(`bench/${program} refuses a flag that it does not know`, async () => {
    const { code, stdout, stderr } = await run([program, "--small", "--jsn"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^Unknown flag: --jsn\nUsage: /);
  });
}

for (const program of ["main.ts", "peers.ts"]) {
  Deno.test(`bench/${program} refuses a name that matches no row`, async () => {
    const { code, stdout, stderr } = await run([program, "--small", "no such row"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^No row has "no such row" in its name\nUsage: /);
  });
}

Deno.test("bench/growth.ts refuses a folder that does not exist", async () => {
  const { code, stdout, stderr } = await run(["growth.ts", "no/such/folder"]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /^Folder not found: "no\/such\/folder"\nUsage: /);
});

Deno.test("bench/main.ts prints the same rows as JSON", async () => {
  const { code, stdout } = await run([
    "main.ts",
    "--small",
    "--json",
    "snapshot()",
    "search for words in 5 %",
  ]);
  assert.equal(code, 0);
  const { size, validated, lines } = JSON.parse(stdout);
  assert.deepEqual([size, validated, lines.length], ["small", false, 2]);
  for (const line of lines) {
    const [low, high] = line.spread;
    assert(low <= line.ratio && line.ratio <= high);
    assert(line.meanRatio > 0 && line.checksum > 0);
    assert.deepEqual([line.holds, line.notComparable], [null, null]);
  }
  assert.deepEqual(lines.map(({ target }: { target: number | null }) => target), [1.2, null]);
});

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`bench/main.ts leaves no files and no processes behind at ${signal}`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    using directory = new Directory();
    const args = ["main.ts", "process start"];
    const child = bench(args, { env: { TMPDIR: directory.path } }).spawn();
    await startedIn(directory.path);
    child.kill(signal);
    const ended = await child.output();
    assert.equal(ended.code, code);
    assert.deepEqual([...Deno.readDirSync(directory.path)], []);
    assert.deepEqual(processesNaming(directory.path), []);
  });
}

/** Waits until a run has started a program, each of which opens a store in the run's directory. */
async function startedIn(path: string): Promise<void> {
  using watcher = Deno.watchFs(path);
  for await (const _ of watcher) if (processesNaming(path).length > 0) return;
}

/** Returns the command lines of all processes that contain a text. */
function processesNaming(text: string): string[] {
  const found: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (line.includes(text)) found.push(line.replaceAll("\0", " "));
    } catch {
      // The process has ended meanwhile.
    }
  }
  return found;
}

Deno.test("bench/main.ts ends quietly when its reader closes the pipe", async () => {
  const child = bench(["main.ts", "--small", "records.get", "snapshot", "search at"]).spawn();
  await child.stdout.cancel();
  const { code } = await child.status;
  assert.equal(await new Response(child.stderr).text(), "");
  assert.equal(code, 141);
});

Deno.test("Programs are found in a checkout whose path has a space", async () => {
  using directory = new Directory();
  const root = `${directory.path}/check out`;
  Deno.mkdirSync(root);
  for (const name of ["bench", "src", "docs", "mod.ts", "deno.json"]) {
    Deno.symlinkSync(`${ROOT}/${name}`, `${root}/${name}`);
  }
  const { code, stdout } = await bench(["main.ts", "--small", "resident memory", "process start"], { root })
    .output();
  assert.doesNotMatch(new TextDecoder().decode(stdout), /failed/);
  assert.equal(code, 0);
});

Deno.test("A directory is in memory only if there is room for its files", () => {
  using small = new Directory({ inMemoryBytes: 1 });
  using large = new Directory({ inMemoryBytes: Number.MAX_SAFE_INTEGER });
  assert.equal(small.path.startsWith("/dev/shm/"), existsSync("/dev/shm"));
  assert(!large.path.startsWith("/dev/shm/"));
});
