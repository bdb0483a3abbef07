/**
 * Goal: the memory of a store that reads and writes many scopes, compared with a bare program that keeps the same turns
 * in a table of its own, with the same driver, the same journal, and SQLite's default page cache in each connection.
 * Non-goal: the memory of an assembly (memory.ts). Each measurement is a process of its own. No seed: all turns are alike.
 */
import { DatabaseSync } from "node:sqlite";
import { type Memory, openMemory } from "../mod.ts";
import { runProgram } from "./children.ts";
import { Directory } from "./directories.ts";
import { LIMITS } from "./history.ts";
import { measureInTurn, type Question } from "./measure.ts";
import { CREATE_TURNS, INSERT_TURN, scopeOf, type Served, textOf } from "./programs/served.ts";

const TURNS_PER_SCOPE = 10;
const AT_ONCE = 64;

/** A generous upper bound of the bytes of both stores and their logs. */
const STORES_BYTES = 256 * 1_024 * 1_024;

/** The row of the peak memory with many scopes. */
export const servePeak: Question = {
  name: "resident memory at its peak, 10 000 scopes, 100 000 turns",
  floor: "a bare program with the driver, same turns served",
  target: 1.5,
  run: async (size) => {
    const [rounds, scopes, served] = size === "full" ? [5, 10_000, 1_000] : [1, 10, 5];
    using directory = new Directory({ inMemoryBytes: STORES_BYTES });
    const paths = { ours: `${directory.path}/ours.db`, floor: `${directory.path}/floor.db` };
    await using memory = await openMemory(paths.ours, { limits: LIMITS });
    await fillOurs(memory, scopes);
    await memory.close();
    fillFloor(paths.floor, scopes);
    let floorCharacters = 0;
    let oursCharacters = 0;
    const pairs = await measureInTurn({ rounds }, async () => {
      const floor = await serve("serve_floor.ts", [paths.floor, scopes, served]);
      floorCharacters += floor.characters;
      return floor.peakBytes;
    }, async () => {
      const ours = await serve("serve_ours.ts", [paths.ours, scopes, served]);
      oursCharacters += ours.characters;
      return ours.peakBytes;
    });
    if (floorCharacters !== oursCharacters) throw new Error("The two programs served different turns");
    return { ...pairs, unit: "bytes", checksum: floorCharacters + oursCharacters };
  },
};

async function fillOurs(memory: Memory, scopes: number): Promise<void> {
  for (let first = 0; first < scopes; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, scopes - first) }, (_, offset) => first + offset);
    for (let turn = 0; turn < TURNS_PER_SCOPE; turn++) {
      await Promise.all(some.map((scope) => {
        return memory.conversation(scopeOf(scope)).append([{ role: "user", content: textOf(scope, turn) }]);
      }));
    }
  }
}

function fillFloor(path: string, scopes: number): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(CREATE_TURNS);
  const insert = database.prepare(INSERT_TURN);
  database.exec("BEGIN IMMEDIATE");
  for (let scope = 0; scope < scopes; scope++) {
    const { tenantId, sessionId } = scopeOf(scope);
    for (let turn = 0; turn < TURNS_PER_SCOPE; turn++) {
      insert.run(tenantId, sessionId, JSON.stringify([{ role: "user", content: textOf(scope, turn) }]));
    }
  }
  database.exec("COMMIT");
  database.close();
}

async function serve(name: string, args: readonly (string | number)[]): Promise<Served> {
  return JSON.parse(await runProgram(name, args.map(String))) as Served;
}
