/**
 * A worker that is killed at random moments, again and again, and loses nothing: every acknowledged write is found
 * afterwards, and each worker continues where the last one was killed.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo --allow-run=deno examples/06_killed_at_random.ts`
 */
import { openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const SCOPE = { tenantId: "acme", sessionId: "release-42" };
const KILLS = 8;

/** Writes without end, and prints each number once its write is acknowledged. The operation id makes repeats harmless. */
async function work(): Promise<void> {
  const conversation = (await openMemory(".demo/agent.db")).conversation(SCOPE);
  for (let number = (await conversation.snapshot().catch(() => null))?.turnCount ?? 0;; number++) {
    const messages = [{ role: "user", content: `Check ${number} passed.` }] as const;
    await conversation.append(messages, { operationId: `check ${number}` });
    print(`${number}`);
  }
}

/** Lets a worker acknowledge some writes, then kills it during another. Resolves to the numbers that it printed. */
async function runAndKill(): Promise<readonly number[]> {
  const args = ["run", "--allow-read=.demo", "--allow-write=.demo", import.meta.filename!, "work"];
  const worker = new Deno.Command("deno", { args, stdout: "piped" }).spawn();
  const enough = 20 + Math.floor(Math.random() * 100);
  let printed = "";
  for await (const text of worker.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (printed.length >= enough) worker.kill("SIGKILL");
  }
  await worker.status;
  return printed.split("\n").slice(0, -1).map(Number);
}

if (Deno.args[0] === "work") await work();
await demo(async () => {
  const acknowledged: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) acknowledged.push(...await runAndKill());
  await using memory = await openMemory(".demo/agent.db");
  const turns = await Array.fromAsync(memory.conversation(SCOPE).turns());
  const contents = new Set(turns.map(({ messages }) => messages[0]!.content));
  print(`kills: ${KILLS}`);
  print(`writes that were acknowledged: ${acknowledged.length}`);
  print(`of these found: ${acknowledged.filter((number) => contents.has(`Check ${number} passed.`)).length}`);
  print(`acknowledged twice: ${acknowledged.length - new Set(acknowledged).size}`);
  print(`written twice: ${turns.length - contents.size}`);
  print(`intact: ${(await memory.check()).ok}`);
});
