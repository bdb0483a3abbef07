/** Damages copies of a small store, one place at a time, and classifies what reading them returns. */

import assert from "node:assert/strict";
import { z } from "zod";
import {
  ConflictError,
  type Conversation,
  defineKind,
  type Memory,
  MemoryError,
  type MemoryOptions,
  openMemory,
} from "../../mod.ts";
import { fact, TENANT } from "./stored.ts";

/** Outcome for one damaged copy; any other is a failure. */
export type Outcome =
  /** Opening it was refused with a typed error. */
  | "refused"
  /** It opened, and a read was refused with a typed error. */
  | "told"
  /** It opened, something was not found, and `check` says that the store is damaged. */
  | "absent, reported"
  /** It opened, everything was read as stored, and `check` says that the store is damaged. */
  | "correct, reported"
  /** It opened, everything was read as stored, and `check` finds no damage. */
  | "correct";

/** Number of copies by outcome. */
export type Counts = Record<Outcome, number>;

interface Stored {
  readonly tenantId: string;
  readonly kind: string;
  readonly key: string;
  readonly revision: number;
  readonly expires: number | null;
  readonly value: unknown;
}

const NOW_SECONDS = 1_000_000;

const PAGE = defineKind("page", z.strictObject({ text: z.string() }), { maxBytes: 20_000, ttlMax: null });

const OPTIONS: MemoryOptions = { kinds: [PAGE], clock: () => NOW_SECONDS * 1_000 };

/** A small closed store, as bytes in memory, with everything that reading its undamaged copy returns. */
export interface Sample {
  readonly main: Uint8Array;
  readonly ledger: Uint8Array;
  readonly stored: readonly Stored[];
  /** Turns, pins and a replay of its one conversation, as text. */
  readonly told: readonly string[];
}

const SCOPE = { tenantId: TENANT, sessionId: "season-7" };

async function converse(conversation: Conversation): Promise<void> {
  for (let number = 0; number < 8; number++) {
    const messages = [{
      messageId: `question-${number}`,
      role: "user",
      content: `How is tree ${number}? `.repeat(9),
    }] as const;
    await conversation.append(messages, { operationId: `ask-${number}` });
  }
  let expectedRevision = await conversation.revision();
  for (const key of ["soil", "water", "wind"]) {
    const pin = { scope: SCOPE, key, value: `Mind the ${key}.`, origin: "user" } as const;
    expectedRevision = await conversation.putPin(pin, { expectedRevision });
  }
  await conversation.delete({ kind: "pin", key: "wind", expectedRevision });
  await conversation.cachePut(await conversation.snapshot(), "watered", { litres: 12 });
}

/** Everything a conversation holds, one text a thing. */
async function hear(conversation: Conversation): Promise<string[]> {
  const snapshot = await conversation.snapshot();
  const heard = snapshot.pins.map((pin) => JSON.stringify(pin));
  for await (const turn of conversation.turns({ snapshot })) {
    heard.push(JSON.stringify(turn));
  }
  const replay = await conversation.cacheGet(snapshot, "watered");
  return replay === null ? heard : [...heard, JSON.stringify(replay)];
}

/**
 * Makes the sample: small records, bodies that spill over to other pages, remembered operations, deletions, and a
 * conversation.
 */
export async function makeSample(path: string): Promise<Sample> {
  {
    await using memory = await openMemory(path, OPTIONS);
    const { records } = memory;
    for (let number = 0; number < 24; number++) {
      const tenantId = number % 3 === 0 ? "harbour" : TENANT;
      const identity = { tenantId, kind: "fact", key: `plot-${number}` } as const;
      await records.put(identity, fact(`tree number ${number}`), {
        expectedRevision: null,
        ttl: 3_600 + number,
        ...number % 4 === 0 ? { operationId: `plant-${number}` } : {},
      });
    }
    for (let number = 0; number < 3; number++) {
      const identity = { tenantId: TENANT, kind: "page", key: `page-${number}` };
      const text = `${number} `.repeat(3_000);
      await records.put(identity, { text }, { expectedRevision: null, ttl: null });
    }
    for (let number = 20; number < 24; number++) {
      const tenantId = number % 3 === 0 ? "harbour" : TENANT;
      await records.forget({ tenantId, kind: "fact", key: `plot-${number}` }, number + 1, {
        revoke: number === 22,
      });
    }
    await converse(memory.conversation(SCOPE));
  }
  const main = Deno.readFileSync(path);
  const ledger = Deno.readFileSync(`${path}.deletions`);
  await using memory = await openMemory(path, OPTIONS);
  return { main, ledger, stored: await readAll(memory), told: await hear(memory.conversation(SCOPE)) };
}

const KEYS: readonly Pick<Stored, "tenantId" | "kind" | "key">[] = [
  ...Array.from(
    { length: 24 },
    (_, number) => ({ tenantId: number % 3 === 0 ? "harbour" : TENANT, kind: "fact", key: `plot-${number}` }),
  ),
  ...Array.from({ length: 3 }, (_, number) => ({ tenantId: TENANT, kind: "page", key: `page-${number}` })),
];

async function readAll(memory: Memory): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const identity of KEYS) {
    const found = await memory.records.get(identity);
    if (found !== null) stored.push({ ...identity, ...found });
  }
  return stored;
}

/** Opens a damaged copy and reads everything. Throws if a read returns what was not stored, or an untyped error. */
export async function examine(path: string, sample: Sample): Promise<Outcome> {
  let memory: Memory;
  try {
    memory = await openMemory(path, OPTIONS);
  } catch (error) {
    assert(error instanceof MemoryError, `opening threw an untyped error: ${error}`);
    return "refused";
  }
  try {
    return await examineOpen(memory, sample);
  } finally {
    await closeQuietly(memory);
  }
}

async function examineOpen(memory: Memory, sample: Sample): Promise<Outcome> {
  let told = false;
  let absent = false;
  const expected = new Map(sample.stored.map((each) => [nameOf(each), each]));
  for (const identity of KEYS) {
    const found = await quietly(() => memory.records.get(identity));
    if (found === TOLD) told = true;
    else if (found === null) absent ||= expected.has(nameOf(identity));
    else assert.deepEqual({ ...identity, ...found }, expected.get(nameOf(identity)), "a value not stored");
  }
  for (const tenant of [TENANT, "harbour"]) {
    const page = await quietly(() => memory.records.list(tenant));
    if (page === TOLD) told = true;
    else absent ||= isShort(page.items, tenant, expected);
  }
  const heard = await quietly(() => hear(memory.conversation(SCOPE)).catch(nothingIfGone));
  if (heard === TOLD) told = true;
  else {
    for (const each of heard) assert(sample.told.includes(each), "something not reported");
    absent ||= heard.length < sample.told.length;
  }
  const report = await quietly(() => memory.check());
  const reported = report === TOLD || !report.ok;
  if (told) return "told";
  if (absent) {
    assert(reported, "something is missing and check does not say so");
    return "absent, reported";
  }
  return reported ? "correct, reported" : "correct";
}

/** Whether a page lacks something; throws if it lists what was not stored. */
function isShort(
  items: readonly Omit<Stored, "tenantId" | "value">[],
  tenantId: string,
  expected: ReadonlyMap<string, Stored>,
): boolean {
  for (const item of items) {
    const { value: _value, tenantId: _tenant, ...listed } = expected.get(nameOf({ tenantId, ...item })) ??
      {} as Stored;
    assert.deepEqual(item, listed, "an item not stored");
  }
  const names = new Set(items.map((item) => nameOf({ tenantId, ...item })));
  return [...expected.values()].some((each) => each.tenantId === tenantId && !names.has(nameOf(each)));
}

/** A scope that is not found is an absence too. */
function nothingIfGone(error: unknown): string[] {
  if (error instanceof ConflictError) return [];
  throw error;
}

const TOLD = Symbol("a typed error");

async function quietly<T>(call: () => Promise<T>): Promise<T | typeof TOLD> {
  try {
    return await call();
  } catch (error) {
    assert(error instanceof MemoryError, `an untyped error: ${error}`);
    return TOLD;
  }
}

async function closeQuietly(memory: Memory): Promise<void> {
  await quietly(() => memory.close());
}

function nameOf({ tenantId, kind, key }: Pick<Stored, "tenantId" | "kind" | "key">): string {
  return `${tenantId}/${kind}/${key}`;
}

/** Writes a copy to a path, with its ledger, and removes what an earlier one left next to it. */
export function layCopy(path: string, main: Uint8Array, ledger: Uint8Array): void {
  for (const [file, bytes] of [[path, main], [`${path}.deletions`, ledger]] as const) {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfThere(file + suffix);
    Deno.writeFileSync(file, bytes, { mode: 0o600, createNew: true });
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Seeded numbers from 0 to below `bound` (mulberry32). */
export function seededNumbers(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000 * bound);
  };
}

/** The same bytes with one bit flipped; bits are numbered across bytes. */
export function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >>> 3]! ^= 1 << (bit & 7);
  return copy;
}

/** No outcome yet. */
export function noCounts(): Counts {
  return { refused: 0, told: 0, "absent, reported": 0, "correct, reported": 0, correct: 0 };
}
