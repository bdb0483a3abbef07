/**
 * POSIX drops every lock that a process holds on a file when any descriptor of that file is closed in the process, in
 * any thread. Whatever a Worker does to a store, another isolate of its process must keep its locks.
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openMemory, type Watermark } from "../../mod.ts";
import { inodesOf, locksOn, whyNoLocks } from "../kit/process_locks.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { Thread } from "../kit/thread.ts";
import { oldLibrary } from "../contention/old_library.ts";
import { type Deed, DEEDS, STAYS_OPEN, STORE_NAMES } from "./programs/deeds.ts";
import { makeStore, plant } from "./stored.ts";

const WHY_NOT = await whyNoLocks();

const { main, ledger, backup, other, foreign, text } = STORE_NAMES;

/** Every file that a deed needs, as bytes. */
interface Image {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly watermark: Watermark;
}

async function makeImage(old: boolean): Promise<Image> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const options = old ? { driver: oldLibrary } : {};
  for (const name of [other, main]) await makeStore(directory.file(name), { ...options, forget: true });
  const database = new DatabaseSync(directory.file(foreign));
  database.exec("CREATE TABLE theirs (a)");
  database.close();
  await Deno.writeTextFile(directory.file(text), "pears\n".repeat(1_000));
  let watermark: Watermark;
  {
    await using memory = await openMemory(directory.file(main), options);
    await memory.backup(directory.file(backup));
    watermark = await memory.deletionWatermark();
  }
  const names = [...Deno.readDirSync(directory.path)].map(({ name }) => name);
  return { files: new Map(names.map((name) => [name, Deno.readFileSync(directory.file(name))])), watermark };
}

async function layOut({ files }: Image): Promise<TemporaryDirectory> {
  const directory = await TemporaryDirectory.makeInMemory();
  for (const [name, bytes] of files) await Deno.writeFile(directory.file(name), bytes, { mode: 0o600 });
  return directory;
}

/** A store that another isolate of this process has open. */
interface Holder {
  readonly what: string;
  readonly old: boolean;
  readonly hold: (path: string) => Promise<AsyncDisposable>;
}

/** Both files in a write transaction: with a rollback journal only that holds locks. */
function holdTransactions(path: string, sql: string): Promise<AsyncDisposable> {
  const databases = [path, `${path}.deletions`].map((file) => new DatabaseSync(file));
  for (const database of databases) database.exec(`BEGIN IMMEDIATE; ${sql}`);
  return Promise.resolve({
    [Symbol.asyncDispose](): Promise<void> {
      for (const database of databases) {
        database.exec("ROLLBACK");
        database.close();
      }
      return Promise.resolve();
    },
  });
}

const HOLDERS: readonly Holder[] = [
  {
    what: "an open store",
    old: false,
    async hold(path): Promise<AsyncDisposable> {
      const memory = await openMemory(path);
      await plant(memory, 1_001);
      return memory;
    },
  },
  {
    what: "a transaction with a rollback journal that is to write",
    old: true,
    hold: (path) => holdTransactions(path, ""),
  },
  {
    what: "a transaction with a rollback journal that has written",
    old: true,
    hold: (path) => holdTransactions(path, "UPDATE meta SET id = id"),
  },
];

const DEEDS_MODULE = new URL("programs/deeds.ts", import.meta.url);

const images = new Map<boolean, Promise<Image>>();

function imageFor(old: boolean): Promise<Image> {
  const image = images.get(old) ?? makeImage(old);
  images.set(old, image);
  return image;
}

let thread: Thread<Deed>;

Deno.test.beforeAll(() => {
  thread = new Thread(DEEDS_MODULE);
});

Deno.test.afterAll(() => thread[Symbol.dispose]());

/** Holds a store, lets something happen, and requires that the locks on it are the same afterwards. */
function lockTest(
  holder: Holder,
  name: string,
  happen: (deed: Omit<Deed, "name">) => Promise<unknown>,
): void {
  Deno.test({
    name: `LCK-01 ${holder.what} keeps its locks when a Worker ${name}${
      WHY_NOT === null ? "" : ` (ignored: ${WHY_NOT})`
    }`,
    ignore: WHY_NOT !== null,
    async fn(): Promise<void> {
      const { old } = holder;
      const image = await imageFor(old);
      await using directory = await layOut(image);
      await using _held = await holder.hold(directory.file(main));
      const names = [main, ledger, ...(old ? [] : [`${main}-shm`, `${ledger}-shm`])];
      const inodes = inodesOf(directory.path, names);
      const before = locksOn(inodes);
      assert(before.some((lock) => lock.startsWith(`${main} `)), `${before}`);
      assert(before.some((lock) => lock.startsWith(`${ledger} `)), `${before}`);
      const ended = await happen({ directory: directory.path, old, watermark: image.watermark });
      assert.deepEqual(locksOn(inodes), before, `it ended with ${ended}`);
    },
  });
}

for (const holder of HOLDERS) {
  for (const name of Object.keys(DEEDS)) lockTest(holder, name, (deed) => thread.perform({ ...deed, name }));

  lockTest(holder, "is ended while it has it open", async (deed) => {
    using ended = new Thread<Deed>(DEEDS_MODULE);
    return await ended.perform({ ...deed, name: STAYS_OPEN });
  });
}
