/**
 * The process that is killed. It works on a store, backs it up, restores backups to new names and continues there,
 * and moves lines to and from another store, one call after the other; it reports each call before it makes it and
 * each answer once it has it. Its one argument is a {@linkcode LineageErrand}.
 */

import {
  type Conversation,
  type Memory,
  type MemoryOptions,
  nodeSqlite,
  openMemory,
  restoreMemory,
  StorageError,
} from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import {
  LEDGER,
  type LineageAnswer,
  type LineageCall,
  type LineageErrand,
  type LineageLine,
  type Op,
  OTHER,
  type StoreName,
} from "./lineage.ts";
import { LineageDraw } from "./lineage_draw.ts";
import { Striker, strikingDriver, watchFiles } from "./strike.ts";
import { TENANT, timeOf } from "./talk.ts";

const CALLS_MAX = 200;
const CALLS_BEFORE_AIM = 6;
const DEADLINE_S = 86_400;

const encoder = new TextEncoder();

/** The parent reads a written line even if this process has ended. */
function say(line: LineageLine): void {
  const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
}

type Arguments<Of extends Op> = LineageCall & { readonly op: Of };

/** Makes the calls that are drawn. */
class Worker {
  readonly #errand: LineageErrand;
  readonly #options: MemoryOptions;
  readonly #striker: Striker;
  readonly #draw: LineageDraw;
  readonly #stores: Record<StoreName, Memory>;

  constructor(
    errand: LineageErrand,
    stores: Record<StoreName, Memory>,
    parts: { readonly options: MemoryOptions; readonly striker: Striker },
  ) {
    this.#errand = errand;
    this.#stores = stores;
    this.#options = parts.options;
    this.#striker = parts.striker;
    this.#draw = new LineageDraw(errand, stores);
  }

  async work(): Promise<void> {
    const { aim } = this.#errand;
    const draw = this.#draw;
    for (let call = 0; call < CALLS_BEFORE_AIM; call++) await this.#call(await draw.draw());
    if (aim === "restore" && draw.backups.length === 0) await this.#call(draw.drawCopy("backup"));
    if (aim === "import" && draw.exports.length === 0) await this.#call(draw.drawCopy("export"));
    if (aim !== null) await this.#call(draw.drawCopy(aim));
    for (let call = 0; call < CALLS_MAX; call++) await this.#call(await draw.draw());
  }

  async close(): Promise<void> {
    await this.#stores.main.close();
    await this.#stores.other.close();
  }

  async #call(call: LineageCall | null): Promise<void> {
    if (call === null) return;
    say({ type: "intent", call });
    if (call.op === this.#errand.aim && call.op !== "restore") this.#striker.arm();
    say({ type: "ack", answer: await this.#make(call) });
  }

  #at(name: string): string {
    return `${this.#errand.directory}/${name}`;
  }

  #conversation(store: StoreName, scope: string): Conversation {
    return this.#stores[store].conversation({ tenantId: TENANT, sessionId: scope });
  }

  async #make(call: LineageCall): Promise<LineageAnswer> {
    switch (call.op) {
      case "prune":
        await this.#stores[call.in].prune({ scrub: call.scrub });
        return null;
      case "backup":
        await this.#stores.main.backup(this.#at(call.to));
        this.#draw.backups.push(call.to);
        return null;
      case "exportLedger":
        await this.#stores.main.exportLedger(this.#at(call.to));
        return null;
      case "restore":
        return await this.#restore(call);
      case "export":
        return await this.#export(call);
      case "import":
        await this.#stores[call.in].importLines(Deno.readTextFileSync(this.#at(call.from)));
        return null;
      case "put":
      case "forget":
        return await this.#makeRecord(call);
      default:
        return await this.#makeScope(call);
    }
  }

  async #restore({ from, to }: Arguments<"restore">): Promise<LineageAnswer> {
    const before = this.#stores.main;
    const watermark = await before.deletionWatermark();
    const closesFirst = this.#draw.seeded.chance(0.5);
    if (closesFirst) await before.close();
    // Only now: earlier reads of the store are not part of the restore.
    if (this.#errand.aim === "restore") this.#striker.arm();
    const restored = await restoreMemory(this.#at(from), this.#at(to), {
      ...this.#options,
      deletionPath: this.#at(LEDGER),
      watermark,
    });
    if (!closesFirst) {
      await requireReplaced(before);
      await before.close();
    }
    this.#stores.main = restored;
    this.#draw.generation++;
    return restored.restored!.to;
  }

  async #export({ in: store, to }: Arguments<"export">): Promise<null> {
    const lines = await Array.fromAsync(this.#stores[store].exportLines({ includeContent: true }));
    Deno.writeTextFileSync(this.#at(to), lines.join(""));
    this.#draw.exports.push([to, store]);
    return null;
  }

  async #makeRecord(call: Arguments<"put" | "forget">): Promise<number | null> {
    const { records } = this.#stores[call.in];
    const identity = { tenantId: TENANT, kind: "fact", key: call.key } as const;
    const expectedRevision = (await records.get(identity))?.revision ?? null;
    if (call.op === "put") {
      const value = { schema: 1, text: call.mark, source: "child", reviewed: false } as const;
      return await records.put(identity, value, { expectedRevision, ttl: DEADLINE_S });
    }
    if (await records.forget(identity, expectedRevision, { revoke: call.revoke })) return null;
    throw new Error(`${call.key} was not there to be forgotten`);
  }

  async #makeScope(
    call: Arguments<"create" | "turn" | "revise" | "pin" | "deleteTurn" | "deletePin" | "deleteScope">,
  ): Promise<LineageAnswer> {
    const conversation = this.#conversation(call.in, call.scope);
    if (call.op === "create") {
      await conversation.create();
      return null;
    }
    const expectedRevision = await conversation.revision();
    switch (call.op) {
      case "deleteScope":
        return await conversation.delete({ kind: "scope", expectedRevision });
      case "deleteTurn":
        return await conversation.delete({ kind: "turn", key: call.id, expectedRevision });
      case "deletePin":
        return await conversation.delete({ kind: "pin", key: call.mark, expectedRevision });
      case "turn":
      case "revise":
        await this.#putTurn(call, conversation, expectedRevision);
        return null;
      case "pin": {
        const { mark, expiresAtMs } = call;
        const expires = expiresAtMs === null ? {} : { expiresAt: new Date(expiresAtMs).toISOString() };
        const pin = { scope: conversation.scope, key: mark, value: mark, origin: "child", ...expires };
        await conversation.putPin(pin, { expectedRevision });
        return null;
      }
    }
  }

  async #putTurn(
    call: Arguments<"turn" | "revise">,
    conversation: Conversation,
    expectedRevision: number,
  ): Promise<void> {
    const { id: turnId, mark } = call;
    const turns = await Array.fromAsync(conversation.turns());
    const revision = (turns.find((turn) => turn.turnId === turnId)?.revision ?? 0) + 1;
    const messages = [{ messageId: mark, role: "user" as const, content: `${mark} the pears were grafted` }];
    const expiresAt = call.op === "revise" || call.expiresAtMs === null
      ? undefined
      : new Date(call.expiresAtMs);
    const options = { operationId: mark, expectedRevision, expiresAt };
    await conversation.putTurn({ turnId, scope: conversation.scope, messages, revision }, options);
  }
}

async function requireReplaced(memory: Memory): Promise<void> {
  try {
    await memory.inspect();
  } catch (error) {
    if (error instanceof StorageError && error.code === "REPLACED") return;
    throw error;
  }
  throw new Error("the store before a restore goes on");
}

async function run(errand: LineageErrand): Promise<void> {
  const { directory, live, cycle, strike, trace, old } = errand;
  const striker = new Striker(strike, null, trace ? (call) => say({ type: "call", call }) : null);
  watchFiles(striker);
  const driver = strikingDriver(striker, old ? oldLibrary : nodeSqlite);
  const options = { clock: () => timeOf(cycle), driver };
  const stores = {
    main: await openMemory(`${directory}/${live}`, { ...options, deletionPath: `${directory}/${LEDGER}` }),
    other: await openMemory(`${directory}/${OTHER}`, options),
  };
  say({ type: "open" });
  const worker = new Worker(errand, stores, { options, striker });
  await worker.work();
  await worker.close();
}

try {
  await run(JSON.parse(Deno.args[0]!) as LineageErrand);
  say({ type: "end" });
} catch (error) {
  const { message, stack = "" } = error as Error;
  say({ type: "error", message, stack });
  Deno.exit(1);
}
