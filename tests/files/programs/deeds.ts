/** What another thread may do to a store that is open in this process; each task runs one deed there. */

import { type MemoryOptions, openMemory, restoreMemory, type Watermark } from "../../../mod.ts";
import { serveThread } from "../../kit/thread.ts";
import { oldLibrary } from "../../contention/old_library.ts";
import { plant, TENANT } from "../stored.ts";

/** One deed, in a directory that {@linkcode STORE_NAMES} describes. */
export interface Deed {
  readonly name: string;
  readonly directory: string;
  /** Whether its SQLite claims to need a rollback journal. */
  readonly old: boolean;
  /** The store's watermark when its backup was made. */
  readonly watermark: Watermark;
}

/** The open store, its backup, another store, and files that are not stores. */
export const STORE_NAMES = {
  main: "agent.db",
  ledger: "agent.db.deletions",
  backup: "agent.backup",
  other: "other.db",
  foreign: "foreign.db",
  text: "notes.txt",
} as const;

class Place {
  readonly #deed: Deed;
  readonly main: string;
  readonly ledger: string;

  constructor(deed: Deed) {
    this.#deed = deed;
    this.main = this.at(STORE_NAMES.main);
    this.ledger = this.at(STORE_NAMES.ledger);
  }

  at(name: string): string {
    return `${this.#deed.directory}/${name}`;
  }

  get options(): MemoryOptions {
    return { busyTimeoutMs: 0, ...(this.#deed.old ? { driver: oldLibrary } : {}) };
  }

  async open(main = this.main, options: MemoryOptions = {}): Promise<void> {
    await using memory = await openMemory(main, { ...this.options, ...options });
    await memory.records.list(TENANT);
  }

  async restore(
    backup: string,
    destination: string,
    deletionPath = this.ledger,
    ledgerExport?: string,
  ): Promise<void> {
    const { watermark } = this.#deed;
    const options = { ...this.options, deletionPath, ledgerExport, watermark };
    await using _memory = await restoreMemory(this.at(backup), this.at(destination), options);
  }
}

const CONTENT = "Prune before frost.";

/** Opens the store and leaves it open until the thread is terminated. */
export const STAYS_OPEN = "stays";

/** Every other deed by its name. */
export const DEEDS: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  "opens and closes it": (place) => place.open(),
  "opens it, writes and closes it": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await plant(memory, 2_001);
  },
  "opens it read-only": (place) => place.open(place.main, { readOnly: true }),
  "opens it with another store's ledger": (place) =>
    place.open(place.main, { deletionPath: `${place.at(STORE_NAMES.other)}.deletions` }),
  "opens another store with its ledger": (place) =>
    place.open(place.at(STORE_NAMES.other), { deletionPath: place.ledger }),
  "opens a new store with its ledger": (place) =>
    place.open(place.at("new.db"), { deletionPath: place.ledger }),
  "opens it with a foreign database for a ledger": (place) =>
    place.open(place.main, { deletionPath: place.at(STORE_NAMES.foreign) }),
  "opens it with a text for a ledger": (place) =>
    place.open(place.main, { deletionPath: place.at(STORE_NAMES.text) }),
  "opens its ledger for a store": (place) => place.open(place.ledger),
  "opens another store with it for a ledger": (place) =>
    place.open(place.at(STORE_NAMES.other), { deletionPath: place.main }),
  "opens it with a ledger that is not there": (place) =>
    place.open(place.main, { deletionPath: place.at("lost.deletions") }),
  "restores from it": (place) => place.restore(STORE_NAMES.main, "restored.db"),
  "restores from it with another store's ledger": (place) =>
    place.restore(STORE_NAMES.main, "restored.db", `${place.at(STORE_NAMES.other)}.deletions`),
  "restores from its ledger": (place) => place.restore(STORE_NAMES.ledger, "restored.db"),
  "restores a backup onto it": (place) => place.restore(STORE_NAMES.backup, STORE_NAMES.main),
  "restores a backup onto its ledger": (place) =>
    place.restore(STORE_NAMES.backup, STORE_NAMES.ledger, `${place.at(STORE_NAMES.other)}.deletions`),
  "restores a backup with it for a ledger": (place) =>
    place.restore(STORE_NAMES.backup, "restored.db", place.main),
  "restores with its ledger for an exported one": (place) =>
    place.restore(STORE_NAMES.backup, "restored.db", place.at("restored.db.deletions"), place.ledger),
  "backs it up": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await memory.backup(place.at("copy"));
  },
  "backs it up onto itself": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await memory.backup(place.main);
  },
  "exports its ledger": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await memory.exportLedger(place.at("copy"));
  },
  "backs it up where a killed backup left a file": async (place) => {
    Deno.copyFileSync(place.at(STORE_NAMES.backup), place.at("copy.partial"));
    await using memory = await openMemory(place.main, place.options);
    await memory.backup(place.at("copy"));
  },
  "backs up another store where a second name of it lies": async (place) => {
    await using memory = await openMemory(place.at(STORE_NAMES.other), place.options);
    Deno.linkSync(place.main, place.at("copy.partial"));
    await memory.backup(place.at("copy"));
  },
  "exports a ledger where a second name of its ledger lies": async (place) => {
    await using memory = await openMemory(place.at(STORE_NAMES.other), place.options);
    Deno.linkSync(place.ledger, place.at("copy.partial"));
    await memory.exportLedger(place.at("copy"));
  },
  "restores where a second name of it lies": async (place) => {
    Deno.linkSync(place.main, place.at("restored.db.restoring"));
    await place.restore(STORE_NAMES.backup, "restored.db");
  },
  "opens it where its restore was killed after it got its name": async (place) => {
    Deno.linkSync(place.main, place.at("agent.db.restoring"));
    await place.open();
  },
  "restores onto it where its restore was killed after it got its name": async (place) => {
    Deno.linkSync(place.main, place.at("agent.db.restoring"));
    await place.restore(STORE_NAMES.backup, STORE_NAMES.main);
  },
  "opens another store whose name it bears too": async (place) => {
    Deno.linkSync(place.main, place.at("second.db"));
    await place.open(place.at("second.db"));
  },
  "inspects it": async (place) => {
    await using memory = await openMemory(place.main, { ...place.options, readOnly: true });
    await memory.inspect();
  },
  "checks it": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await memory.check();
  },
  "prunes it": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await memory.prune();
  },
  "exports and imports its lines": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    await memory.importLines(memory.exportLines({ includeContent: true }));
  },
  "appends to it and searches it": async (place) => {
    await using memory = await openMemory(place.main, place.options);
    const talk = memory.conversation({ tenantId: TENANT, sessionId: "spring" });
    await talk.append([{ role: "user", content: CONTENT }]);
    await talk.search("frost");
  },
};

/** Does it; returns "done", or the code of the error. */
async function perform(deed: Deed): Promise<string> {
  try {
    const place = new Place(deed);
    if (deed.name === STAYS_OPEN) await openMemory(place.main, place.options);
    else await DEEDS[deed.name]!(place);
    return "done";
  } catch (error) {
    const { code, name, message } = error as Error & { code?: string };
    return code ?? `${name}: ${message}`;
  }
}

serveThread(perform);
