/** Makes a number of durable commits in a store, one after the other, so that their syncs can be counted. */
import { openMemory } from "../../mod.ts";
import { historyOf } from "../history.ts";
import { FullText } from "../peers/full_text.ts";
import { JsonLines } from "../peers/json_lines.ts";
import { openKeyValue } from "../peers/key_value.ts";
import { factOf, identityOf } from "../stores.ts";

const [store, count, path] = Deno.args as [string, string, string];
const numbers = Array.from({ length: Number(count) }, (_, index) => index);

async function runRecords(): Promise<void> {
  await using memory = await openMemory(`${path}/ours.db`);
  for (const number of numbers) {
    await memory.records.put(identityOf(number), factOf(number), { expectedRevision: null, ttl: 86_400 });
  }
}

async function runTurns(): Promise<void> {
  await using memory = await openMemory(`${path}/ours.db`);
  const conversation = historyOf(memory);
  for (const number of numbers) await conversation.append([{ role: "user", content: `Turn ${number}.` }]);
}

async function runKeyValue(): Promise<void> {
  const kv = (await openKeyValue(`${path}/kv.db`))!;
  for (const number of numbers) {
    const key = [`${number}`];
    await kv.atomic().check({ key, versionstamp: null }).set(key, factOf(number)).commit();
  }
  kv.close();
}

function runJsonLines(): void {
  using lines = new JsonLines(`${path}/turns.jsonl`);
  lines.write([]);
  for (const number of numbers) {
    lines.append({ turnId: `${number}`, role: "user", content: `Turn ${number}.` });
  }
}

function runFullText(): void {
  using fullText = new FullText(`${path}/fts.db`);
  for (const number of numbers) fullText.add([`Turn ${number}.`]);
}

const RUNS: Readonly<Record<string, () => Promise<void> | void>> = {
  records: runRecords,
  turns: runTurns,
  kv: runKeyValue,
  lines: runJsonLines,
  fts: runFullText,
};
await RUNS[store]!();
