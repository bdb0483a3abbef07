/**
 * A conversation moves from one store to another through a file of JSON Lines, equal to the byte. A second import changes
 * nothing, and a third one does not bring back what was deleted in between.
 *
 * `deno run --allow-read=.demo --allow-write=.demo examples/08_move_a_conversation.ts`
 */
import { type ImportReport, type Memory, openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };
const FILE = ".demo/ticket-4711.jsonl";

async function fill(memory: Memory): Promise<void> {
  const conversation = memory.conversation(SCOPE);
  await conversation.append([
    { role: "user", content: "Which orders were shipped?" },
    { role: "assistant", content: "The lamps, on 1 March." },
  ]);
  await conversation.append([{ role: "user", content: "And the desks?" }]);
  const pin = { scope: SCOPE, key: "style", value: "Answer in one sentence.", origin: "settings" };
  await conversation.putPin(pin, { expectedRevision: await conversation.revision() });
}

async function write(memory: Memory): Promise<void> {
  const file = await Deno.open(FILE, { write: true, createNew: true, mode: 0o600 });
  const lines = memory.exportLines({ scope: SCOPE, includeContent: true });
  await ReadableStream.from(lines).pipeThrough(new TextEncoderStream()).pipeTo(file.writable);
}

async function read(memory: Memory): Promise<ImportReport> {
  return await memory.importLines((await Deno.open(FILE)).readable);
}

/** The lines of an export without the first and the last, which describe the store. */
async function contentOf(memory: Memory): Promise<string> {
  const lines = await Array.fromAsync(memory.exportLines({ scope: SCOPE, includeContent: true }));
  return lines.slice(1, -1).join("");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function describe(which: string, { imported, unchanged, refused }: ImportReport): string {
  return `${which}: ${counted(imported.turns, "turn")} and ${counted(imported.pins, "pin")} imported, ` +
    `${counted(unchanged.turns, "turn")} unchanged, ${refused.turns} refused`;
}

await demo(async () => {
  await using from = await openMemory(".demo/from.db");
  await using to = await openMemory(".demo/to.db");
  await fill(from);
  await write(from);
  print(`lines: ${(await Deno.readTextFile(FILE)).trimEnd().split("\n").length}`);
  print(describe("first import", await read(to)));
  print(`equal to the byte: ${await contentOf(from) === await contentOf(to)}`);
  print(describe("second import", await read(to)));
  const conversation = to.conversation(SCOPE);
  const [turn] = await Array.fromAsync(conversation.turns());
  await conversation.delete({
    kind: "turn",
    key: turn!.turnId,
    expectedRevision: await conversation.revision(),
  });
  print("the first turn is deleted");
  print(describe("third import", await read(to)));
  const outline = await Array.fromAsync(from.exportLines({ scope: SCOPE }));
  print(`an export without content holds text: ${outline.join("").includes("lamps")}`);
});
