/** Lists that say they are endless, and proxies that were revoked, at every place of every public call's arguments. */

import assert from "node:assert/strict";
import * as holdfast from "@holdfast/memory";
import { Scratch } from "../files/scratch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { type PublicCall, publicCalls, setStage, type Stage } from "./public_calls.ts";

const { Conversation, ContractError, Journal, Memory, Records } = holdfast;

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
    const methods = [Memory, Records, Conversation, Journal].flatMap(({ name, prototype }) =>
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
  "Records.put: 1.items": "value.items",
  "Conversation.putTurn: 0.messages": "turn.messages",
  "Conversation.putTurn: 0.messages.0.toolCalls": "turn.messages[0].toolCalls",
  "Conversation.putSummary: 1.coveredTurnIds": "summary.coveredTurnIds",
  "Conversation.putSummary: 1.sources": "summary.sources",
  "Conversation.append: 0": "messages",
  "Conversation.append: 0.0.toolCalls": "messages[0].toolCalls",
  "Conversation.cachePut: 2.dry": "payload",
  "Conversation.assemble: 0.toolCalls": "question.toolCalls",
  "Conversation.assemble: 2.tools": "tools",
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
