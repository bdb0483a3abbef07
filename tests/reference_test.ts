/** The reference lists every option of every call. */

import assert from "node:assert/strict";
import { ContractError } from "@holdfast/memory";
import { type PublicCall, publicCalls, setStage } from "./contracts/public_calls.ts";
import { Scratch } from "./files/scratch.ts";
import { testThatNothingIsLeftOpen } from "./kit/soundness.ts";

/** Options by the name in the table's first column; what stands in brackets is not a name. */
function documentedOptions(): ReadonlyMap<string, readonly string[]> {
  const text = Deno.readTextFileSync(new URL("../docs/REFERENCE.md", import.meta.url));
  const [section = ""] = text.match(/^## Options$[\s\S]*?^## /m) ?? [];
  const rows = [...section.matchAll(/^\| `([\w.]+)`[^|]*\| (.*)\|$/gm)];
  return new Map(rows.map(([, name = "", options = ""]) => {
    const names = options.replaceAll(/\((?:[^()]|\(\))*\)/g, "").matchAll(/`(\w+)`/g);
    return [name, [...names].map(([, option = ""]) => option)];
  }));
}

/** The names that a call lists when it is given an option that none has; null where it takes none. */
async function takenOptions(
  { given, call }: PublicCall,
  place: number,
  nested?: string,
): Promise<string[] | null> {
  const odd = { thereIsNoSuchOption: 1 };
  const options = nested === undefined ? odd : { ...given[place] as object, [nested]: odd };
  const spoiled = given.map((argument, index) => index === place ? options : argument);
  const error = await Promise.try(call as never, ...spoiled as never[]).catch((thrown: unknown) => thrown);
  if (!(error instanceof ContractError)) return null;
  const [, names] = error.message.match(/ no other fields than (.*)$/) ?? [];
  return names?.split(", ").filter((name) => name !== "signal") ?? null;
}

/** Objects within the arguments of a call that have options of their own. */
const NESTED: Readonly<Record<string, readonly string[]>> = {
  assembleContext: ["budget", "retrieval", "cap", "counting", "options"],
  openMemory: ["limits"],
};

/** Calls whose last object is no options: what they work on. */
const WITHOUT_OPTIONS = ["turn", "pin", "summaryFromHistory", "frozenSummary", "assembleContext"];

Deno.test("The reference lists every option of every call, and no other (REF-01)", async () => {
  using scratch = new Scratch();
  const stage = await setStage(scratch.at("agent.db"));
  await using _memory = stage.memory;
  const taken = new Map<string, readonly string[]>();
  for (const call of publicCalls(stage)) {
    const name = call.name.replace("Memory.search", "memory.search").replace(/^(?:Memory|Conversation)\./, "")
      .replace("KindRecords.", "of.")
      .replace("Records.", "records.");
    const last = call.given.length - 1;
    const options = WITHOUT_OPTIONS.includes(name) || last < 1 && name.includes("conversation")
      ? null
      : await takenOptions(call, last);
    if (options !== null && options.length > 0 && name !== "verifyReceipt") taken.set(name, options);
    for (const nested of NESTED[name] ?? []) {
      taken.set(nested, (await takenOptions(call, last, nested))!);
    }
  }
  const opening = new Set(taken.get("openMemory"));
  taken.set("restoreMemory", [
    ...["openMemory", "deletionPath"],
    ...taken.get("restoreMemory")!.filter((option) => !opening.has(option)),
  ]);
  const sorted = (map: ReadonlyMap<string, readonly string[]>): unknown =>
    Object.fromEntries([...map].map(([name, options]) => [name, options.toSorted()]));
  assert.deepEqual(sorted(documentedOptions()), sorted(taken));
});

testThatNothingIsLeftOpen();
