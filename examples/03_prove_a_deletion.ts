/**
 * One of a thousand turns holds a secret; a pin, a summary and a cached response are derived from it. The turn is deleted,
 * and the deletion proved twice: by its receipt, and by searching every byte of every file. Then the same without a scrub.
 *
 * `deno run --allow-read=.demo --allow-write=.demo examples/03_prove_a_deletion.ts`
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type Conversation, openMemory, summaryFromHistory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const SECRET = "OPAL-8812-HERON";
const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };

/** Appends a thousand turns, one of them with the secret; resolves to its id. */
async function appendTurns(conversation: Conversation): Promise<string> {
  const turns = await Promise.all(Array.from({ length: 1_000 }, (_, index) => {
    const content = index === 700 ? `The gate opens with ${SECRET}.` : `Check ${index}: nothing new.`;
    return conversation.append([{ role: "user", content }]);
  }));
  return turns[700]!.turnId;
}

/** Derives a pin, a summary and a cached response from that turn. */
async function derive(conversation: Conversation, turnId: string): Promise<void> {
  const history = (await Array.fromAsync(conversation.turns())).filter((turn) => turn.turnId === turnId);
  const { messageId, content } = history[0]!.messages[0]!;
  const start = content.indexOf(SECRET);
  const messageHash = createHash("sha256").update(content).digest("hex");
  const range = { start, end: start + SECRET.length, messageHash };
  const source = { scope: SCOPE, turnId, messageId, revision: 1, ...range };
  const pin = { scope: SCOPE, key: "gate", value: SECRET, origin: "chat", source };
  await conversation.putPin(pin, { expectedRevision: await conversation.revision() });
  const about = { scope: SCOPE, history, policyVersion: "by-hand-1", createdAt: new Date() };
  const summary = summaryFromHistory({ ...about, content: `The gate: ${SECRET}.` });
  await conversation.putSummary(await conversation.snapshot(), summary);
  await conversation.cachePut(await conversation.snapshot(), "how do I get in?", { answer: SECRET });
}

const little = Buffer.from(SECRET, "utf16le");
const NEEDLES = [Buffer.from(SECRET), little, Buffer.from(little).swap16()];

/** Searches the files of a directory for the secret, as UTF-8 and UTF-16; names those that hold it. */
function search(directory: string): string {
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
  const holders = names.filter((name) => {
    const bytes = Buffer.from(Deno.readFileSync(`${directory}/${name}`));
    return NEEDLES.some((needle) => bytes.includes(needle));
  });
  return `${holders.length === 0 ? "nothing" : `still in ${holders.join(", ")}`} (${names.length} files)`;
}

async function prove(directory: string, scrub: boolean): Promise<void> {
  {
    await using memory = await openMemory(`${directory}/agent.db`);
    const conversation = memory.conversation(SCOPE);
    const key = await appendTurns(conversation);
    await derive(conversation, key);
    print(`search before the deletion: ${search(directory)}`);
    const target = { kind: "turn", key, expectedRevision: await conversation.revision() } as const;
    const receipt = await conversation.delete(target, { scrub });
    const { turns, pins, summaries, replay } = receipt.erased;
    print(`erased: ${turns} turn, ${pins} pin, ${summaries} summary, ${replay} replay`);
    print(`receipt: ${(await memory.verifyReceipt(receipt)).valid ? "verified" : "not verified"}`);
    print(`search after the deletion: ${search(directory)}`);
  }
  print(`search after closing: ${search(directory)}`);
}

await demo(async () => {
  print("-- with scrub --");
  await prove(".demo/scrubbed", true);
  print("-- without scrub: no read returns it, but its bytes may stay until the next prune --");
  await prove(".demo/unscrubbed", false);
});
