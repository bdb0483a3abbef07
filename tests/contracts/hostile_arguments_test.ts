/** Lists that say they are endless, and proxies that were revoked, at every place of every public call's arguments. */

import assert from "node:assert/strict";
import * as holdfast from "@holdfast/memory";
import { Scratch } from "../files/scratch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { type PublicCall, publicCalls, setStage, type Stage } from "./public_calls.ts";

const { Conversation, ContractError, Journal, KindRecords, Memory, MemoryError, Records } = holdfast;

type Path = readonly (string | number)[];

/** Every place in a value, the value's own first; what has a class of its own is one place. */
function* placesOf(value: unknown, path: Path = []): Generator<readonly [path: Path, there: unknown]> {
  yield [path, value];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* placesOf(item, [...path, index]);
  } else if (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  ) {
    for (const [name, field] of Object.entries(value)) yield* placesOf(field, [...path, name]);
  }
}

/** A copy of a value with something else at one place. */
function replaced(value: unknown, [step, ...rest]: Path, there: unknown): unknown {
  if (step === undefined) return there;
  if (Array.isArray(value)) {
    return value.map((item, index) => index === step ? replaced(item, rest, there) : item);
  }
  const fields = value as Record<string, unknown>;
  return { ...fields, [step]: replaced(fields[step as string], rest, there) };
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** What a call came to: null where it went well, or the error. */
async function outcomeOf({ call }: PublicCall, given: readonly unknown[]): Promise<unknown> {
  try {
    await call(...given as never[]);
    return null;
  } catch (error) {
    return error;
  }
}

/** Runs on a store of its own, with `what` for the messages. */
async function onStage(body: (calls: readonly PublicCall[], stage: Stage) => Promise<void>): Promise<void> {
  using scratch = new Scratch();
  const stage = await setStage(scratch.at("agent.db"));
  await using _memory = stage.memory;
  await body(publicCalls(stage), stage);
}

Deno.test("These are all the public calls", async () => {
  await onStage((calls) => {
    const methods = [Memory, Records, KindRecords, Conversation, Journal].flatMap(({ name, prototype }) =>
      Object.getOwnPropertyNames(prototype).map((method) => `${name}.${method}`)
    );
    const functions = Object.entries(holdfast).filter(([, value]) =>
      typeof value === "function" && !/^class\b/.test(String(value))
    ).map(([name]) => name);
    const without = /\.(?:constructor|close)$/;
    const all = [...methods.filter((method) => !without.test(method)), ...functions];
    assert.deepEqual(calls.map(({ name }) => name).toSorted(), all.toSorted());
    return Promise.resolve();
  });
});

Deno.test("These arguments are good: no call refuses them", async () => {
  await onStage(async (calls) => {
    for (const call of calls) {
      const error = await outcomeOf(call, call.given);
      assert(!(error instanceof ContractError || error instanceof TypeError), `${call.name}: ${error}`);
    }
  });
});

Deno.test("A revoked proxy anywhere in an argument is a ContractError, never a raw TypeError (PRX-01)", async () => {
  await onStage(async (calls) => {
    const others: string[] = [];
    let refusals = 0;
    for (const call of calls) {
      for (const [path] of placesOf(call.given)) {
        if (path.length === 0) continue;
        for (const target of [{}, [], () => {}]) {
          const error = await outcomeOf(call, replaced(call.given, path, revoked(target)) as unknown[]);
          if (error instanceof ContractError) refusals++;
          else others.push(`${call.name}, ${path.join(".")}, a ${typeof target}: ${error ?? "no error"}`);
        }
      }
    }
    assert.deepEqual(others, []);
    assert(refusals > 600, `${refusals} refusals`);
  });
});

/** A proxy whose traps throw, all but that of a call: a function of the caller's may throw when it is called. */
function throwing(target: object): object {
  const names = Object.getOwnPropertyNames(Reflect).filter((name) => name !== "apply");
  const traps = names.map((name) => [name, () => {
    throw new RangeError("secret");
  }]);
  return new Proxy(target, Object.fromEntries(traps));
}

Deno.test("A proxy whose traps throw anywhere in an argument is a ContractError, never what it throws (PRX-02)", async () => {
  await onStage(async (calls) => {
    const others: string[] = [];
    for (const call of calls) {
      for (const [path, there] of placesOf(call.given)) {
        if (path.length === 0) continue;
        for (const target of [{}, [], () => {}]) {
          const error = await outcomeOf(call, replaced(call.given, path, throwing(target)) as unknown[]);
          if (
            !(error instanceof ContractError || typeof target === "function" && typeof there === "function")
          ) {
            others.push(`${call.name}, ${path.join(".")}, a ${typeof target}: ${error ?? "no error"}`);
          }
        }
      }
    }
    assert.deepEqual(others, []);
  });
});

Deno.test("An object that only inherits from a class is never a raw error, wherever it is an argument (PRX-03)", async () => {
  await onStage(async (calls) => {
    const others: string[] = [];
    for (const call of calls) {
      for (const [path] of placesOf(call.given)) {
        if (path.length === 0) continue;
        for (const type of [URL, Date, AbortSignal, Uint8Array, Map, Promise, String, ReadableStream]) {
          const fake = Object.create(type.prototype);
          const error = await outcomeOf(call, replaced(call.given, path, fake) as unknown[]);
          if (error !== null && !(error instanceof MemoryError)) {
            others.push(`${call.name}, ${path.join(".")}, a ${type.name}: ${error ?? "no error"}`);
          }
        }
      }
    }
    assert.deepEqual(others, []);
  });
});

/** Where null means something: nothing, never, or a value of JSON. Its type says so everywhere else too, or it is refused. */
const NULLS = new Set([
  ...["toolCalls", "revision", "timestamp", "effectiveAt", "expiresAt", "source", "messageId", "ttlMax"],
  ...["summaryPolicy", "chunkIndex", "expectedRevision", "dry", "content", "arguments"],
]);

/** Calls with one argument that may be null, or JSON of the caller's. */
const NULL_PLACES = new Set([
  "Records.forget: 1",
  "KindRecords.forget: 1",
  "KindRecords.put: 2.ttl",
  "KindRecords.update: 2.ttl",
  "Conversation.cachePut: 2.dry.0",
  "Conversation.describe: 0.title",
  "Conversation.describe: 0.metadata",
  "Conversation.describe: 0.metadata.dry.0",
  "Records.label: 1",
]);

Deno.test("null is a ContractError wherever it means nothing (NUL-01)", async () => {
  await onStage(async (calls) => {
    const accepted: string[] = [];
    for (const call of calls) {
      for (const [path] of placesOf(call.given)) {
        const place = `${call.name}: ${path.join(".")}`;
        if (path.length === 0 || NULLS.has(String(path.at(-1))) || NULL_PLACES.has(place)) continue;
        if (path.includes("json")) continue; // JSON of an entry's own
        const error = await outcomeOf(call, replaced(call.given, path, null) as unknown[]);
        if (!(error instanceof ContractError)) accepted.push(`${place}: ${error ?? "no error"}`);
      }
    }
    assert.deepEqual(accepted, []);
  });
});

const THROWS = { toString: (): never => throwing({}) as never };

/** What a schema may return although it should not, and the field that is named. */
const ANSWERS: readonly (readonly [string, () => unknown])[] = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["text", () => "secret"],
  ["a revoked proxy", () => revoked({})],
  ["a proxy whose traps throw", () => throwing({})],
  ["a revoked proxy as value", () => ({ value: revoked({}) })],
  ["a proxy whose traps throw as value", () => ({ value: throwing({}) })],
  ["null as issues", () => ({ issues: null })],
  ["no issue", () => ({ issues: [] })],
  ["a revoked proxy as issues", () => ({ issues: revoked([]) })],
  ["null as an issue", () => ({ issues: [null] })],
  ["a revoked proxy as an issue", () => ({ issues: [revoked({})] })],
  ["a revoked proxy as a path", () => ({ issues: [{ message: "secret", path: revoked([]) }] })],
  ["null in a path", () => ({ issues: [{ message: "secret", path: [null] }] })],
  ["a key that is no text", () => ({ issues: [{ message: "secret", path: [{ key: THROWS }] }] })],
  ["a revoked proxy as a code", () => ({ issues: [{ message: "secret", code: revoked({}) }] })],
  ["content as a code", () => ({ issues: [{ message: "secret", code: "the secret itself" }] })],
  ["a promise", () => Promise.reject(new Error("secret"))],
];

Deno.test("Whatever a schema returns, put() is a ContractError and get() a KindError, without content (PRX-04)", async () => {
  let answer: (value: unknown) => unknown = (value) => ({ value });
  const validate = (value: unknown): never => answer(value) as never;
  const kind = holdfast.defineKind("note", { "~standard": { version: 1, vendor: "by-hand", validate } });
  await using memory = await holdfast.openMemory(":memory:", { kinds: [kind] });
  const note = { tenantId: "acme", kind: "note", key: "stored" };
  await memory.records.put(note, "secret", { expectedRevision: null, ttl: 60 });
  for (const [name, given] of ANSWERS) {
    answer = given;
    const other = memory.records.put({ ...note, key: "other" }, "secret", {
      expectedRevision: null,
      ttl: 60,
    });
    const refused = (error: { code?: string; field?: string; message: string }): boolean => {
      assert.deepEqual([error.code, error.field], ["CONTRACT", "value"], `${name}: ${error}`);
      return !error.message.includes("secret");
    };
    await assert.rejects(other, refused, name);
    if (name.endsWith("as value")) continue; // what is read is what was stored, whatever the schema makes of it
    const unread = (error: { code?: string; message: string }): boolean => {
      assert.equal(error.code, "KIND", `${name}: ${error}`);
      return !error.message.includes("secret");
    };
    await assert.rejects(memory.records.get(note), unread, name);
  }
});

/** Every list among the arguments, and the field that its error names. */
const LISTS: Readonly<Record<string, string>> = {
  "turn: 0.messages": "messages",
  "turn: 0.messages.0.toolCalls": "messages[0].toolCalls",
  "summaryFromHistory: 0.history": "history",
  "summaryFromHistory: 0.history.0.messages": "history[0].messages",
  "summaryFromHistory: 0.history.0.messages.0.toolCalls": "history[0].messages[0].toolCalls",
  "frozenSummary: 0.coveredTurnIds": "summary.coveredTurnIds",
  "frozenSummary: 0.sources": "summary.sources",
  "assembleContext: 0.tools": "tools",
  "assembleContext: 0.history": "history",
  "assembleContext: 0.history.0.messages": "history[0].messages",
  "assembleContext: 0.question.toolCalls": "question.toolCalls",
  "assembleContext: 0.pins": "pins",
  "assembleContext: 0.chunkIndex.chunks": "chunkIndex.chunks",
  "openMemory: 1.kinds": "kinds",
  "restoreMemory: 2.kinds": "kinds",
  "Memory.importLines: 0": "lines",
  "Memory.search: 2.roles": "roles",
  "Memory.search: 2.sessions": "sessions",
  "Records.put: 1.items": "value.items",
  "KindRecords.put: 1.items": "value.items",
  "KindRecords.getMany: 1": "keys",
  "Conversation.putTurn: 0.messages": "turn.messages",
  "Conversation.putTurn: 0.messages.0.toolCalls": "turn.messages[0].toolCalls",
  "Conversation.putSummary: 1.coveredTurnIds": "summary.coveredTurnIds",
  "Conversation.putSummary: 1.sources": "summary.sources",
  "Conversation.append: 0": "messages",
  "Conversation.append: 0.0.toolCalls": "messages[0].toolCalls",
  "Conversation.cachePut: 2.dry": "payload",
  "Conversation.describe: 0.metadata.dry": "metadata",
  "Conversation.assemble: 0.toolCalls": "question.toolCalls",
  "Conversation.assemble: 2.tools": "tools",
  "Conversation.withMedia: 0": "messages",
  "Conversation.withMedia: 0.0.content": "messages[0].content",
  "Journal.append: 0": "entries",
  "Journal.append: 0.0.json.pears": "entries[0].json",
  "Journal.replaceSuffix: 1": "entries",
  "Journal.replaceSuffix: 1.0.json.pears": "entries[0].json",
};

Deno.test("A list of 2^32 - 1 holes is refused by its length, wherever a list is an argument (MEM-01)", async () => {
  await onStage(async (calls) => {
    const named: Record<string, unknown> = {};
    for (const call of calls) {
      for (const [path, there] of placesOf(call.given)) {
        if (path.length === 0 || !Array.isArray(there)) continue;
        const endless: unknown[] = [];
        endless.length = 2 ** 32 - 1;
        const error = await outcomeOf(call, replaced(call.given, path, endless) as unknown[]);
        named[`${call.name}: ${path.join(".")}`] = error instanceof ContractError ? error.field : error;
      }
    }
    assert.deepEqual(named, LISTS);
  });
});

testThatNothingIsLeftOpen();
