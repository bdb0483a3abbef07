/** Beside what many harnesses keep a conversation in: a file of JSON lines, under a lock, synced after each line. */

import { type Conversation, type Memory, openMemory } from "../../mod.ts";
import { appendAll, historyOf, historyTexts, LIMITS } from "../history.ts";
import { Directory } from "../directories.ts";
import type { Size } from "../measure.ts";
import { inTurn, type PeerQuestion } from "./peer.ts";

const TURNS = { full: 10_000, small: 40 } as const;
const LAST = 20;
const PEER = "JSON lines, locked";

interface Line {
  readonly turnId: string;
  readonly role: string;
  readonly content: string;
}

/** The file, kept open for who appends to it. */
export class JsonLines implements Disposable {
  readonly #path: string;
  #file: Deno.FsFile | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes lines anew, in place of those that were there. */
  async write(lines: readonly string[]): Promise<void> {
    const path = `${this.#path}.new`;
    {
      using file = await Deno.open(path, { write: true, create: true, truncate: true });
      await writeAll(file, lines.map((line) => `${line}\n`).join(""));
      await file.sync();
    }
    await Deno.rename(path, this.#path);
    using directory = await Deno.open(this.#path.slice(0, this.#path.lastIndexOf("/")));
    await directory.sync();
    this[Symbol.dispose]();
    this.#file = await Deno.open(this.#path, { append: true });
  }

  async append(line: Line): Promise<void> {
    const file = this.#file!;
    await file.lock(true);
    await writeAll(file, `${JSON.stringify(line)}\n`);
    await file.syncData();
    await file.unlock();
  }

  async last(count: number): Promise<readonly Line[]> {
    const lines = (await Deno.readTextFile(this.#path)).trimEnd().split("\n");
    return lines.slice(-count).map((line) => JSON.parse(line) as Line);
  }

  async remove(turnId: string): Promise<void> {
    using file = await Deno.open(this.#path, { read: true, write: true });
    await file.lock(true);
    const lines = (await Deno.readTextFile(this.#path)).trimEnd().split("\n");
    await this.write(lines.filter((line) => (JSON.parse(line) as Line).turnId !== turnId));
    await file.unlock();
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#file = null;
  }
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
}

interface Pair extends AsyncDisposable {
  readonly lines: JsonLines;
  readonly conversation: Conversation;
  readonly memory: Memory;
}

async function openPair(directory: Directory, size: Size): Promise<Pair> {
  const texts = [...historyTexts(TURNS[size])];
  const lines = new JsonLines(`${directory.path}/turns.jsonl`);
  await lines.write(
    texts.map((content, index) => JSON.stringify({ turnId: `turn-${index}`, role: "user", content })),
  );
  const memory = await openMemory(`${directory.path}/ours.db`, { limits: LIMITS });
  const conversation = historyOf(memory);
  await appendAll(conversation, texts);
  return {
    lines,
    conversation,
    memory,
    [Symbol.asyncDispose]: () => {
      lines[Symbol.dispose]();
      return memory.close();
    },
  };
}

/** What is said: 500 characters. */
const TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8).slice(
  0,
  500,
);

/** See the module's documentation. */
export const JSON_LINES: readonly PeerQuestion[] = [
  {
    work: "one turn appended to 10 000",
    ours: "`append`",
    peer: PEER,
    terms: "durable: one sync each; the file knows no revisions and finds no doubled id",
    run: async (size) => {
      using directory = new Directory();
      await using pair = await openPair(directory, size);
      const times = await inTurn(
        size,
        (number) => pair.lines.append({ turnId: `new-${number}`, role: "user", content: TEXT }),
        () => pair.conversation.append([{ role: "user", content: TEXT }]),
      );
      return { ...times, checksum: (await pair.conversation.snapshot()).turnCount };
    },
  },
  {
    work: "the last 20 of 10 000 turns read",
    ours: "`turns`",
    peer: PEER,
    terms: "the file is read whole; only the last lines are parsed",
    run: async (size) => {
      using directory = new Directory();
      await using pair = await openPair(directory, size);
      let checksum = 0;
      const times = await inTurn(size, async () => {
        for (const { content } of await pair.lines.last(LAST)) checksum += content.length;
      }, async () => {
        for await (const { messages } of pair.conversation.turns(undefined, { last: LAST })) {
          checksum += messages[0]!.content.length;
        }
      });
      return { ...times, checksum };
    },
  },
  {
    work: "one of 10 000 turns deleted",
    ours: "`delete`, with its receipt",
    peer: PEER,
    terms:
      "durable; the file is written anew and renamed; it keeps no proof, and a backup of it brings the turn back",
    run: async (size) => {
      using directory = new Directory();
      await using pair = await openPair(directory, size);
      const ids: string[] = [];
      for (let count = 0; count < 300; count++) {
        ids.push((await pair.conversation.append([{ role: "user", content: TEXT }])).turnId);
      }
      let revision = await pair.conversation.revision();
      let checksum = 0;
      const times = await inTurn(
        size,
        (number) => pair.lines.remove(`turn-${number}`),
        async (number) => {
          const target = { kind: "turn", key: ids[number]!, expectedRevision: revision++ } as const;
          checksum += (await pair.conversation.delete(target)).erased.turns;
        },
      );
      return { ...times, checksum };
    },
  },
];
