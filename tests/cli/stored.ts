/** A small store for the commands to work on. */

import {
  type Memory,
  type MemoryOptions,
  openMemory,
  pin,
  StorageError,
  summaryFromHistory,
} from "../../mod.ts";
import { assertIntact } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

/** The conversation that the tests of commands use. */
export const SCOPE = { tenantId: "acme", sessionId: "ticket-7" } as const;

/** Its names as arguments. */
export const IN_SCOPE = ["--tenant", "acme", "--session", "ticket-7"] as const;

/** A text of it that no command shows unless asked to. */
export const SECRET = "The door code is 4711.";

/** A closed store in a directory of its own, private as stores are. */
export class StoredFile implements AsyncDisposable {
  readonly #directory: TemporaryDirectory;
  /** The store's file. */
  readonly path: string;
  /** Set by tests that damage the store on purpose: no check at the end. */
  damaged = false;

  private constructor(directory: TemporaryDirectory) {
    this.#directory = directory;
    this.path = this.at("agent.db");
  }

  /** Makes a store with two turns, a pin, a summary and a fact, or with what `fill` stores. */
  static async make(
    fill: (memory: Memory) => Promise<void> = fillTicket,
    options: MemoryOptions = {},
  ): Promise<StoredFile> {
    return await StoredFile.#filled(await TemporaryDirectory.makeInMemory(), fill, options);
  }

  /** The same on a disk: below `/dev`, Deno permits nothing to a process without all permissions. */
  static async makeOnDisk(fill: (memory: Memory) => Promise<void> = fillTicket): Promise<StoredFile> {
    return await StoredFile.#filled(await TemporaryDirectory.make(), fill, {});
  }

  static async #filled(
    directory: TemporaryDirectory,
    fill: (memory: Memory) => Promise<void>,
    options: MemoryOptions,
  ): Promise<StoredFile> {
    const file = new StoredFile(directory);
    await using memory = await openMemory(file.path, options);
    await fill(memory);
    return file;
  }

  /** The path of its directory. */
  get directory(): string {
    return this.#directory.path;
  }

  /** The path of a name in its directory. */
  at(name: string): string {
    return this.#directory.file(name);
  }

  /** Every name in its directory, sorted. */
  names(): readonly string[] {
    return [...Deno.readDirSync(this.directory)].map(({ name }) => name).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.damaged) await assertIntactOrFenced(this.path);
    } finally {
      await this.#directory[Symbol.asyncDispose]();
    }
  }
}

/** Checks a store, unless a restore has fenced it off: such a store cannot be opened. */
async function assertIntactOrFenced(path: string): Promise<void> {
  try {
    await using memory = await openMemory(path);
    await assertIntact(memory);
  } catch (error) {
    if (!(error instanceof StorageError && error.code === "REPLACED")) throw error;
  }
}

/** Two turns, a pin that cites none, a summary of both, a fact of an hour. */
export async function fillTicket(memory: Memory): Promise<void> {
  const conversation = memory.conversation(SCOPE);
  await conversation.putTurn(turnOf("turn-1", "user", `Which orders were refunded? ${SECRET}`), {
    operationId: "one",
    expectedRevision: await conversation.create(),
  });
  await conversation.putTurn(turnOf("turn-2", "assistant", "The lamps, in March."), {
    operationId: "two",
    expectedRevision: await conversation.revision(),
  });
  const rule = pin({ scope: SCOPE, key: "rule", value: "Answer in one sentence.", origin: "settings" });
  await conversation.putPin(rule, { expectedRevision: await conversation.revision() });
  const history = await Array.fromAsync(conversation.turns());
  const summary = summaryFromHistory({
    scope: SCOPE,
    content: "Lamps were refunded.",
    history,
    policyVersion: "by-hand-1",
    createdAt: new Date(),
  });
  await conversation.putSummary(await conversation.snapshot(), summary);
  const fact = { schema: 1, text: "Prefers lists.", source: "chat-7", reviewed: false } as const;
  await memory.records.put({ tenantId: "acme", kind: "fact", key: "preference" }, fact, {
    expectedRevision: null,
    ttl: 3_600,
  });
}

function turnOf(turnId: string, role: "user" | "assistant", content: string): Parameters<
  ReturnType<Memory["conversation"]>["putTurn"]
>[0] {
  return { turnId, scope: SCOPE, messages: [{ messageId: `${turnId}-0`, role, content }] };
}
