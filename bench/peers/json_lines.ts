/** Compares with a file of JSON lines, as many harnesses keep a conversation: locked, and synced after each line. */

import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { type Conversation, type Memory, openMemory } from "../../mod.ts";
import { appendAll, historyOf, historyTexts, LIMITS } from "../history.ts";
import { Directory } from "../directories.ts";
import { fillOurLogs } from "../logs.ts";
import type { Size } from "../measure.ts";
import { inTurn, type PeerQuestion } from "./peer.ts";

const TURNS = { full: 10_000, small: 40 } as const;
const LAST = 20;
const ALL = 1_000_000;
const PEER = "JSON lines, locked";

interface Line {
  readonly turnId: string;
  readonly role: string;
  readonly content: string;
}

/** The bytes that are read at a time, from the end of the file. */
const TAIL_BYTES = 64 * 1_024;

/** The file, which stays open for appending. All calls are synchronous, because nothing else runs meanwhile. */
export class JsonLines implements Disposable {
  readonly #path: string;
  #file: Deno.FsFile | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Replaces all lines. */
  write(lines: readonly string[]): void {
    this.#replace([new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""))]);
  }

  append(line: Line): void {
    const file = this.#file!;
    file.lockSync(true);
    writeAll(file, new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    file.syncDataSync();
    file.unlockSync();
  }

  /** Returns the last `count` lines; reads the file from its end. */
  last(count: number): readonly Line[] {
    using file = Deno.openSync(this.#path);
    let from = file.statSync().size;
    let tail = Buffer.alloc(0);
    let newlines = 0;
    while (from > 0 && newlines <= count) {
      const chunk = Buffer.alloc(Math.min(TAIL_BYTES, from));
      from -= chunk.length;
      file.seekSync(from, Deno.SeekMode.Start);
      readAll(file, chunk);
      for (const byte of chunk) if (byte === NEWLINE) newlines++;
      tail = Buffer.concat([chunk, tail]);
    }
    const lines = tail.toString().trimEnd().split("\n");
    return lines.slice(-count).map((line) => JSON.parse(line) as Line);
  }

  /** Finds a line by the text of its id, and rewrites the file without it. */
  remove(turnId: string): void {
    using file = Deno.openSync(this.#path, { read: true, write: true });
    file.lockSync(true);
    const bytes = Buffer.from(Deno.readFileSync(this.#path).buffer);
    const from = bytes.indexOf(`{"turnId":${JSON.stringify(turnId)},`);
    if (from >= 0) this.#replace([bytes.subarray(0, from), bytes.subarray(bytes.indexOf(NEWLINE, from) + 1)]);
    file.unlockSync();
  }

  #replace(parts: readonly Uint8Array[]): void {
    const path = `${this.#path}.new`;
    {
      using file = Deno.openSync(path, { write: true, create: true, truncate: true });
      for (const part of parts) writeAll(file, part);
      file.syncSync();
    }
    Deno.renameSync(path, this.#path);
    using directory = Deno.openSync(dirname(this.#path));
    directory.syncSync();
    this[Symbol.dispose]();
    this.#file = Deno.openSync(this.#path, { append: true });
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#file = null;
  }
}

const NEWLINE = 0x0a;

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += file.writeSync(bytes.subarray(written));
}

function readAll(file: Deno.FsFile, into: Uint8Array): void {
  for (let read = 0; read < into.length;) {
    const count = file.readSync(into.subarray(read));
    if (count === null) throw new Error("The file became shorter");
    read += count;
  }
}

interface Pair extends AsyncDisposable {
  readonly lines: JsonLines;
  readonly conversation: Conversation;
  readonly memory: Memory;
}

async function openPair(directory: Directory, size: Size): Promise<Pair> {
  const texts = [...historyTexts(TURNS[size])];
  const lines = new JsonLines(`${directory.path}/turns.jsonl`);
  lines.write(
    texts.map((content, index) => JSON.stringify({ turnId: `turn-${index}`, role: "user", content })),
  );
  const path = `${directory.path}/ours.db`;
  const memory = await openMemory(path, { limits: LIMITS });
  const conversation = historyOf(memory);
  await appendAll(conversation, texts);
  await fillOurLogs(path, size, memory);
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

/** The text of new turns: 500 characters. */
const TEXT = "The night shift moved the pallets to bay seven and counted them twice. ".repeat(8).slice(
  0,
  500,
);

/** The rows compared with JSON lines. */
export const JSON_LINES: readonly PeerQuestion[] = [
  {
    work: "one turn appended to 10 000",
    ours: "`append`",
    peer: PEER,
    terms:
      "durable: one fdatasync each, calls of the file synchronous, our log of full size; the file knows no revisions and refuses no duplicate id",
    run: async (size) => {
      using directory = new Directory();
      await using pair = await openPair(directory, size);
      const times = await inTurn(
        size,
        (number) => pair.lines.append({ turnId: `new-${number}`, role: "user", content: TEXT }),
        () => pair.conversation.append([{ role: "user", content: TEXT }]),
      );
      const { turnCount } = await pair.conversation.snapshot();
      return { ...times, checksum: turnCount + pair.lines.last(ALL).length };
    },
  },
  {
    work: "the last 20 of 10 000 turns read",
    ours: "`turns`",
    peer: PEER,
    terms: "the file is read from its end, 64 KiB at a time, until the lines are there",
    run: async (size) => {
      using directory = new Directory();
      await using pair = await openPair(directory, size);
      let checksum = 0;
      const times = await inTurn(size, () => {
        for (const { content } of pair.lines.last(LAST)) checksum += content.length;
      }, async () => {
        for await (const { messages } of pair.conversation.turns({ last: LAST })) {
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
      "durable; the line is found by its text, the file rewritten and renamed; it keeps no proof, and a backup of it brings the turn back",
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
      return { ...times, checksum: checksum + pair.lines.last(ALL).length };
    },
  },
];
