/** What the tests here put into a store, and what they expect of it. */

import assert from "node:assert/strict";
import { type Fact, type Memory, type MemoryOptions, openMemory, StorageError } from "../../mod.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";

/** The tenant of every record here. */
export const TENANT = "orchard";

/** One fact. */
export function fact(text: string): Fact {
  return { schema: 1, text, source: "bed-4", reviewed: false };
}

/** The identity of a numbered fact. */
export function plot(number: number): { tenantId: string; kind: "fact"; key: string } {
  return { tenantId: TENANT, kind: "fact", key: `plot-${number}` };
}

/** Puts a new fact, which expires after a day. */
export function plant(memory: Memory, number: number, text: string = `tree ${number}`): Promise<number> {
  return memory.records.put(plot(number), fact(text), { expectedRevision: null, ttl: 86_400 });
}

/** The text of a numbered fact, or null. */
export async function textOf(memory: Memory, number: number): Promise<string | null> {
  return (await memory.records.get(plot(number)))?.value.text ?? null;
}

/** Creates a closed store with facts 1, 2, …; fact 1 was forgotten if `forget` is true. */
export async function makeStore(
  path: string | URL,
  { facts = 3, forget = false, ...options }: MemoryOptions & { facts?: number; forget?: boolean } = {},
): Promise<void> {
  await using memory = await openMemory(path, options);
  for (let number = 1; number <= facts; number++) await plant(memory, number);
  if (forget) assert.equal(await memory.records.forget(plot(1), 1), true);
}

/** Forgets facts 1 to `count` of a closed store, one event each. */
export async function forgetFirst(path: string, count: number = 1): Promise<void> {
  await using memory = await openMemory(path);
  for (let number = 1; number <= count; number++) {
    assert.equal(await memory.records.forget(plot(number), number), true);
  }
}

/** Whether each of some facts is in a closed store, which has to be intact. */
export async function isPlanted(path: string, numbers: readonly number[]): Promise<boolean[]> {
  await using memory = await openMemory(path);
  assert.deepEqual((await memory.check()).problems, []);
  return await Promise.all(numbers.map(async (number) => await textOf(memory, number) !== null));
}

/** Requires that a store opens, holds facts 1 to `facts`, accepts a write, is intact, and leaves no file open. */
export async function assertUsable(
  path: string | URL,
  { facts = 3, ...options }: MemoryOptions & { facts?: number } = {},
): Promise<void> {
  const openBefore = countOpenFiles();
  {
    await using memory = await openMemory(path, options);
    for (let number = 1; number <= facts; number++) {
      assert.equal(await textOf(memory, number), `tree ${number}`);
    }
    const revision = await plant(memory, 1_000);
    assert.equal(await memory.records.forget(plot(1_000), revision), true);
    assert.deepEqual((await memory.check()).problems, []);
  }
  assert.equal(countOpenFiles(), openBefore);
}

/** Requires that opening fails with a code, or one of several, and leaves no file open. */
export async function assertRefused(
  path: string | URL,
  codes: string | readonly string[],
  options: MemoryOptions = {},
): Promise<Error & { readonly details: Record<string, unknown> }> {
  const openBefore = countOpenFiles();
  let caught: unknown = null;
  try {
    await using _memory = await openMemory(path, options);
  } catch (error) {
    caught = error;
  }
  assert(caught instanceof Error, "the store was opened");
  const { code } = caught as { code?: string };
  assert(code !== undefined && [codes].flat().includes(code), `expected ${codes}, found ${caught}`);
  assert.equal(countOpenFiles(), openBefore);
  return caught as Error & { readonly details: Record<string, unknown> };
}

/** The code of the error that a promise rejects with; fails if it resolves. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
  assert.fail("it was resolved");
}

/** Requires a promise to reject with `REPLACED` because of a file, and returns the error. */
export async function assertReplaced(promise: Promise<unknown>): Promise<StorageError> {
  const error = await promise.then(() => null, (error: unknown) => error);
  assert(error instanceof StorageError, `${error}`);
  assert.equal(error.code, "REPLACED");
  assert.equal(error.details.by, "file");
  return error;
}
