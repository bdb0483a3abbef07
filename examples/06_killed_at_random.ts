/**
 * A worker that is killed at random moments, again and again, and loses nothing: every write it was told of is found
 * afterwards, and each worker goes on where the last one was cut off.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo --allow-run=deno examples/06_killed_at_random.ts`
 */
import { openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const SCOPE = { tenantId: "orchard", sessionId: "harvest" };
const KILLS = 8;

/** Writes on and on, and says each number once it is acknowledged; the operation id makes a repeated one harmless. */
async function work(): Promise<void> {
  const talk = (await openMemory(".demo/agent.db")).conversation(SCOPE);
  for (let number = (await talk.snapshot().catch(() => null))?.turnCount ?? 0;; number++) {
    await talk.append([{ role: "user", content: `Basket ${number}.` }], { operationId: `basket ${number}` });
    print(`${number}`);
  }
}

/** Lets a worker acknowledge some writes, then kills it in the middle of another; gives the numbers it said. */
async function runAndKill(): Promise<readonly number[]> {
  const args = ["run", "--allow-read=.demo", "--allow-write=.demo", import.meta.filename!, "work"];
  const worker = new Deno.Command("deno", { args, stdout: "piped" }).spawn();
  const enough = 20 + Math.floor(Math.random() * 100);
  let said = "";
  for await (const text of worker.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.length >= enough) worker.kill("SIGKILL");
  }
  await worker.status;
  return said.split("\n").slice(0, -1).map(Number);
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
  print(`of these found: ${acknowledged.filter((number) => contents.has(`Basket ${number}.`)).length}`);
  print(`said twice: ${acknowledged.length - new Set(acknowledged).size}`);
  print(`written twice: ${turns.length - contents.size}`);
  print(`sound: ${(await memory.check()).ok}`);
});
