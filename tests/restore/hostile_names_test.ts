/** Every kind of foreign file, under every name that opening, backing up and restoring use. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { runForJson } from "../files/child.ts";
import { makeDevice, makePipe, makeSocket } from "../files/odd_files.ts";
import { Scratch } from "../files/scratch.ts";
import { layOut, makeRestorable } from "./restorable.ts";

const IS_UNIX = Deno.build.os !== "windows";
const IS_ROOT_ON_LINUX = Deno.build.os === "linux" && Deno.uid() === 0;

interface Thing {
  readonly what: string;
  readonly make: (path: string) => void;
  readonly possible: boolean;
  /** Whether it is a regular file, which can be recognized only by its content. */
  readonly isFile: boolean;
}

const private0600 = { mode: 0o600 };

const THINGS: readonly Thing[] = [
  { what: "a pipe", make: makePipe, possible: IS_UNIX, isFile: false },
  { what: "a socket", make: makeSocket, possible: IS_UNIX, isFile: false },
  { what: "a device", make: makeDevice, possible: IS_ROOT_ON_LINUX, isFile: false },
  {
    what: "a directory",
    make: (path) => Deno.mkdirSync(path, { mode: 0o700 }),
    possible: true,
    isFile: false,
  },
  {
    what: "a link to nothing",
    make: (path) => Deno.symlinkSync("nothing", path),
    possible: IS_UNIX,
    isFile: false,
  },
  {
    what: "a link to a file",
    make: (path) => Deno.symlinkSync("plain.txt", path),
    possible: IS_UNIX,
    isFile: false,
  },
  {
    what: "a text",
    make: (path) => Deno.writeTextFileSync(path, "Dear all,\n".repeat(1_000), private0600),
    possible: true,
    isFile: true,
  },
  {
    what: "noise",
    make: (path) => Deno.writeFileSync(path, crypto.getRandomValues(new Uint8Array(20_000)), private0600),
    possible: true,
    isFile: true,
  },
  { what: "another program's database", make: makeDatabase, possible: true, isFile: true },
  {
    what: "nothing but a name",
    make: (path) => Deno.writeFileSync(path, new Uint8Array(), private0600),
    possible: true,
    isFile: true,
  },
];

function makeDatabase(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
  Deno.chmodSync(path, 0o600);
}

const withSidecars = (
  name: string,
): readonly string[] => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`];

/** The action, and the names that it reads or writes. */
const DONE: readonly (readonly [what: string, names: readonly string[]])[] = [
  ["open", ["agent.db", "agent.db.deletions"].flatMap(withSidecars)],
  [
    "restore",
    ["agent.backup", "agent.db.deletions", "restored.db", "restored.db.restoring"].flatMap(withSidecars),
  ],
  ["backup", ["copy", "copy.partial"].flatMap(withSidecars)],
  ["exportLedger", ["copy", "copy.partial"].flatMap(withSidecars)],
];

/** Outcomes for anything but a regular file: refused at once, and not touched. */
const NOT_A_FILE = ["UNSAFE", "EXISTS"];

/** Outcomes for a file that is not ours: refused, or ignored because SQLite would not use it, or removed. */
const NOT_OURS = [...NOT_A_FILE, "CORRUPT", "INTEGRITY", "RESTORE", "done"];

for (const [what, names] of DONE) {
  for (const thing of THINGS) {
    Deno.test({
      name:
        `BAK-02 BAK-09 ${what} meets ${thing.what} under each of its ${names.length} names, and never waits${
          thing.possible ? "" : " (ignored: cannot be made here)"
        }`,
      ignore: !thing.possible,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        const { files, watermark } = await sample();
        const directories = names.map((name) => {
          const directory = scratch.makeDirectory(`at-${name}`);
          layOut(directory, files);
          Deno.writeTextFileSync(`${directory}/plain.txt`, "Plain.", private0600);
          if (name in files) Deno.removeSync(`${directory}/${name}`);
          thing.make(`${directory}/${name}`);
          return directory;
        });
        const before = directories.map(describe);
        const outcomes = await runForJson(`tests/restore/programs/try_each.ts`, [
          what,
          JSON.stringify(watermark),
          ...directories,
        ]) as string[];
        for (const [index, outcome] of outcomes.entries()) {
          const place = `${thing.what} as ${names[index]}: ${outcome}`;
          assert((thing.isFile ? NOT_OURS : NOT_A_FILE).includes(outcome), place);
          // Opening for a backup may have changed the store's own files, as any use of it does.
          if (outcome !== "done") assertKept(before[index]!, describe(directories[index]!), place);
          assert.equal(Deno.readTextFileSync(`${directories[index]}/plain.txt`), "Plain.", place);
        }
        assert.equal(outcomes.length, names.length);
      },
    });
  }
}

Deno.test({
  name: "a pipe that takes a backup's name after it was inspected blocks no call",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const { files, watermark } = await sample();
    layOut(scratch.path, files);
    const outcome = await runForJson("tests/restore/programs/swap_backup.ts", [
      scratch.path,
      JSON.stringify(watermark),
    ]);
    assert.deepEqual(outcome, [true, "BUSY"]);
    assert.deepEqual(scratch.names(), ["agent.backup", "agent.db", "agent.db.deletions"]);
  },
});

/** Requires that nothing was removed, added or changed. */
function assertKept(before: Described, after: Described, place: string): void {
  assert.deepEqual(after, before, place);
}

type Described = Readonly<Record<string, string>>;

function describe(directory: string): Described {
  return Object.fromEntries(
    [...Deno.readDirSync(directory)].map(({ name }) => name).sort().map((name) => {
      const path = `${directory}/${name}`;
      const info = Deno.lstatSync(path);
      if (!info.isFile) {
        return [name, `${info.isSymlink} ${info.isDirectory} ${info.isFifo} ${info.isSocket} ${info.ino}`];
      }
      return [name, `${info.mode} ${createHash("sha256").update(Deno.readFileSync(path)).digest("hex")}`];
    }),
  );
}

let made: ReturnType<typeof makeRestorable> | null = null;

function sample(): ReturnType<typeof makeRestorable> {
  return made ??= makeRestorable();
}
