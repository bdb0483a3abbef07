/**
 * A chat that is kept across a restart, in a small file: one session in two processes, printed at the end. Times are
 * passed explicitly, so that each run prints the same.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo examples/02_conversation.ts`
 */
import { type Conversation, type Memory, openMemory, summaryFromHistory, type TimedTurn } from "../mod.ts";
import { demo, print } from "./demo.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };
let time = Date.UTC(2026, 2, 2, 9, 0);

/** Opens the store. Its limits are chosen here: at most two hundred turns and a hundred kilobytes for a session. */
function open(): Promise<Memory> {
  const limits = { turnsPerScope: 200, bytesPerScope: 100_000 };
  return openMemory(".demo/chat.db", { clock: () => time, limits });
}

/** One exchange; the operation id makes a retry harmless. */
async function exchange(conversation: Conversation, question: string, answer: string): Promise<void> {
  time += 60_000;
  const messages = [{ role: "user", content: question }, { role: "assistant", content: answer }] as const;
  const first = await conversation.append(messages, { operationId: question });
  const retried = await conversation.append(messages, { operationId: question });
  if (first.turnId !== retried.turnId) throw new Error("A retry must not add a turn");
}

function printTurn({ timestamp, messages }: TimedTurn): void {
  print(`[${timestamp.slice(0, 16).replace("T", " ")}]`);
  for (const { role, content } of messages) print(`  ${role}: ${content}`);
}

await demo(async () => {
  {
    await using memory = await open();
    const conversation = memory.conversation(SCOPE);
    await exchange(conversation, "Which orders were shipped?", "The lamps, on 1 March.");
    await exchange(conversation, "And the desks?", "Not yet; customs still holds them.");
    const expectedRevision = await conversation.revision();
    const pin = { scope: SCOPE, key: "style", value: "Answer in one sentence.", origin: "settings" };
    await conversation.putPin(pin, { expectedRevision });
  }
  print("-- the process ends, another one begins --");

  time += 86_400_000;
  await using memory = await open();
  const conversation = memory.conversation(SCOPE);
  const before = await conversation.snapshot();
  print(`kept: ${before.turnCount} turns, ${before.pins.length} pin (${before.pins[0]?.value})`);
  await exchange(conversation, "Are they through customs now?", "Yes, the desks can be shipped today.");

  const history = await Array.fromAsync(conversation.turns({ last: 3 }));
  const summary = summaryFromHistory({
    scope: SCOPE,
    content: "Lamps shipped 1 March; desks today.",
    history,
    policyVersion: "by-hand-1",
    createdAt: new Date(time),
  });
  await conversation.putSummary(await conversation.snapshot(), summary);

  for await (const turn of conversation.turns()) printTurn(turn);
  const snapshot = await conversation.snapshot();
  print(`summary: ${snapshot.summary?.content}`);
  print(`printed, a snapshot shows its text: ${Deno.inspect(snapshot).includes("Lamps")}`);
  const { size } = await Deno.stat(".demo/chat.db");
  print(`the file is small: ${size < 300_000}`);
});
