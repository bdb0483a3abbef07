/** Compares with LangGraph's saver, which keeps checkpoints in memory and is not durable, for scale. */

import { openMemory } from "../../mod.ts";
import { inTurn, type PeerQuestion, perCall } from "./peer.ts";

/** A constant, so that only a measurement loads the package, and not the type checker or the module cache. */
const PACKAGE = "npm:@langchain/langgraph-checkpoint@1.2.2";

/** The identity of a thread, and of a checkpoint in it. */
export interface Configuration {
  readonly configurable: {
    readonly thread_id: string;
    readonly checkpoint_ns?: string;
    readonly checkpoint_id?: string;
  };
}

/** The part of the saver that is used here. */
export interface Saver {
  put(config: Configuration, checkpoint: object, metadata: object): Promise<Configuration>;
  deleteThread(threadId: string): Promise<void>;
  getTuple(
    config: Configuration,
  ): Promise<{ checkpoint: { channel_values: { state: typeof STATE } } } | undefined>;
}

/** The part of its package that is used here. */
export interface SaverModule {
  readonly MemorySaver: new () => Saver;
  emptyCheckpoint(): object;
}

const CALLS = 20;
const STATE = { schema: 1 as const, step: 0, items: ["answer the ticket", "count the pallets"] };
const RUN = { tenantId: "acme", kind: "checkpoint", key: "run-a" } as const;
const PEER = "LangGraph MemorySaver";

/** Loads the package; returns null if it is not available. */
export async function loadSaver(): Promise<SaverModule | null> {
  try {
    return await import(PACKAGE) as SaverModule;
  } catch {
    return null;
  }
}

const MISSING = `${PACKAGE} cannot be loaded here`;

/** The rows compared with the saver. */
export const SAVER: readonly PeerQuestion[] = [
  {
    work: "one checkpoint put",
    ours: '`records.put` in `":memory:"`',
    peer: PEER,
    terms: "neither is durable; the saver serializes into a map, and finds no lost update",
    run: async (size) => {
      const module = await loadSaver();
      if (module === null) return MISSING;
      const saver = new module.MemorySaver();
      await using memory = await openMemory(":memory:");
      let revision: number | null = null;
      let config: Configuration = { configurable: { thread_id: RUN.key, checkpoint_ns: "" } };
      const times = await inTurn(size, async () => {
        for (let call = 0; call < CALLS; call++) {
          const checkpoint = { ...module.emptyCheckpoint(), channel_values: { state: STATE } };
          config = await saver.put(config, checkpoint, { source: "loop", step: call, parents: {} });
        }
      }, async () => {
        for (let step = 0; step < CALLS; step++) {
          revision = await memory.records.put(RUN, { ...STATE, step: step % 2 }, {
            expectedRevision: revision,
            ttl: 86_400,
          });
        }
      });
      const kept = (await saver.getTuple(config))!.checkpoint.channel_values.state.items.length;
      return { ...perCall(times, CALLS), checksum: revision! + kept };
    },
  },
  {
    work: "the newest checkpoint read",
    ours: '`records.get` in `":memory:"`',
    peer: PEER,
    terms: "one checkpoint in either",
    run: async (size) => {
      const module = await loadSaver();
      if (module === null) return MISSING;
      const saver = new module.MemorySaver();
      await using memory = await openMemory(":memory:");
      await memory.records.put(RUN, STATE, { expectedRevision: null, ttl: 86_400 });
      const thread: Configuration = { configurable: { thread_id: RUN.key, checkpoint_ns: "" } };
      const checkpoint = { ...module.emptyCheckpoint(), channel_values: { state: STATE } };
      await saver.put(thread, checkpoint, { source: "loop", step: 0, parents: {} });
      let checksum = 0;
      const times = await inTurn(size, async () => {
        for (let call = 0; call < CALLS; call++) {
          checksum += (await saver.getTuple(thread))!.checkpoint.channel_values.state.items.length;
        }
      }, async () => {
        for (let call = 0; call < CALLS; call++) {
          checksum += (await memory.records.get(RUN))!.value.items.length;
        }
      });
      return { ...perCall(times, CALLS), checksum };
    },
  },
];
