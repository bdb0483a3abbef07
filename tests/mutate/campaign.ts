/** A campaign: breaks are drawn by a seed, each is made in a copy of the tree, and the tests of its room are run. */

import { applyBreak, type Break, showBreak } from "./break.ts";
import { Compiler } from "./compiler.ts";
import { drawBreaks, type Drawn } from "./draw.ts";
import { findBreaks } from "./find_breaks.ts";
import { type Room, roomOf } from "./rooms.ts";
import { type RunSettings, Tree } from "./tree.ts";

/** What became of a break. */
export interface Result {
  readonly id: string;
  /** The folder of the room. */
  readonly room: string;
  readonly found: Break;
  /** `untyped`: the compiler refuses it; no test was run. */
  readonly verdict: "noticed" | "survived" | "untyped";
  /** The test that failed, `timeout`, or nothing. */
  readonly noticedBy: string;
  readonly seconds: number;
  /** The lines before and after. */
  readonly shown: string;
}

/** What a campaign is made of. */
export interface CampaignOptions extends RunSettings {
  /** The tree to copy, with a slash at its end. */
  readonly root: string;
  /** The rooms whose files are broken. */
  readonly rooms: readonly Room[];
  /** Those and the others, which files inside a room's folder may belong to. */
  readonly allRooms: readonly Room[];
  readonly seed: number;
  /** How many breaks that compile are tried. */
  readonly count: number;
  /** Where given, the only draws that are tried, by id. */
  readonly only?: ReadonlySet<string>;
  /** Where given, the only kinds that are tried. */
  readonly kinds?: ReadonlySet<string>;
  /** How many copies are worked on at a time. */
  readonly trees: number;
  /** Files that are never broken. */
  readonly spared: readonly string[];
  readonly onResult: (result: Result) => void;
}

/** Runs it; every result is reported as it comes. */
export async function runCampaign(options: CampaignOptions): Promise<readonly Result[]> {
  const { root, rooms, seed, count, only, kinds } = options;
  await using stack = new AsyncDisposableStack();
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const copyTree = async (): Promise<Tree> => stack.use(await Tree.copy(root, { ...options, signal }));
  const unbroken = await copyTree();
  const files = unbroken.filesIn("src/").filter((file) =>
    rooms.includes(roomOf(file, options.allRooms)!) && !options.spared.some((path) => file.startsWith(path))
  );
  const compiler = new Compiler(unbroken.root, files, await writeGlobals(unbroken));
  const draws = drawBreaks(seed, breaksByRoom(compiler, files, options));
  const isTrusted = trustOf(unbroken);
  const results: Result[] = [];
  let tried = 0;
  const work = async (tree: Tree): Promise<void> => {
    while (tried < count) {
      const { value: drawn } = draws.next();
      if (drawn === undefined) return;
      if (only?.has(drawn.id) === false || kinds?.has(drawn.found.kind) === false) continue;
      const isTyped = compiler.accepts(
        drawn.found.file,
        applyBreak(tree.read(drawn.found.file), drawn.found),
      );
      if (isTyped) tried++;
      const result = await tryBreak(drawn, isTyped, tree, isTrusted);
      results.push(result);
      options.onResult(result);
    }
  };
  const works: Promise<void>[] = [];
  for (let index = 0; index < options.trees; index++) works.push(work(await copyTree()));
  for (const one of works) one.catch((error) => ending.abort(error));
  await Promise.allSettled(works); // No copy is removed while tests still run in another.
  await Promise.all(works);
  return results;
}

function breaksByRoom(
  compiler: Compiler,
  files: readonly string[],
  { rooms, allRooms }: CampaignOptions,
): ReadonlyMap<Room, readonly Break[]> {
  const checker = compiler.program.getTypeChecker();
  return new Map(rooms.map((room) => {
    const own = files.filter((file) => roomOf(file, allRooms) === room);
    return [room, own.flatMap((file) => findBreaks(file, compiler.sourceOf(file), checker))];
  }));
}

async function tryBreak(
  { id, room, found }: Drawn,
  isTyped: boolean,
  tree: Tree,
  isTrusted: (run: string) => Promise<boolean>,
): Promise<Result> {
  const shown = showBreak(tree.read(found.file), found);
  const about = { id, room: room.folder, found, shown };
  if (!isTyped) return { ...about, verdict: "untyped", noticedBy: "", seconds: 0 };
  const startedMs = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedMs) / 100) / 10;
  using _broken = tree.break(found);
  for (const run of room.runs) {
    const { passed, noticedBy } = await tree.test(run.split(" "));
    if (passed) continue;
    if (!(await isTrusted(run))) throw new Error(`Tests of unbroken source fail: ${run}`);
    return { ...about, verdict: "noticed", noticedBy, seconds: seconds() };
  }
  return { ...about, verdict: "survived", noticedBy: "", seconds: seconds() };
}

/** Whether a run of tests passes on the unbroken source, so that its failing says something; looked at once. */
function trustOf(unbroken: Tree): (run: string) => Promise<boolean> {
  const trusted = new Map<string, Promise<boolean>>();
  return (run) => {
    const known = trusted.get(run) ?? unbroken.test(run.split(" ")).then(({ passed }) => passed);
    trusted.set(run, known);
    return known;
  };
}

/** What Deno declares, in a file, for the compiler. */
async function writeGlobals(tree: Tree): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["types"], stdout: "piped" }).output();
  const path = `${tree.root}globals.d.ts`;
  const declarations = new TextDecoder().decode(stdout).replace(/^\/\/\/ <reference .*$/gm, "");
  await Deno.writeTextFile(path, declarations);
  return path;
}
