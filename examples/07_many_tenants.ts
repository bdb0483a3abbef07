/**
 * Many tenants in one process, behind HTTP: the handler derives the tenant from a token that it trusts, never from what a
 * request says about itself. All of them share one open store.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo --allow-net=127.0.0.1 examples/07_many_tenants.ts`
 */
import { type Memory, openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

/** The tenant of each token. A real service verifies a signature instead. */
const TENANTS = new Map([["token-of-acme", "acme"], ["token-of-globex", "globex"]]);

/** `POST /session` appends a message, once for each idempotency key. `GET /session?q=…` returns the chunks that answer. */
async function handle(memory: Memory, request: Request): Promise<Response> {
  const tenantId = TENANTS.get(request.headers.get("authorization")?.replace("Bearer ", "") ?? "");
  if (tenantId === undefined) return new Response("Who are you?", { status: 401 });
  const { pathname, searchParams } = new URL(request.url);
  const conversation = memory.conversation({ tenantId, sessionId: pathname.slice(1) });
  if (request.method === "GET") {
    return Response.json((await conversation.search(searchParams.get("q") ?? "")).map((hit) => hit.content));
  }
  const operationId = request.headers.get("idempotency-key")!;
  const messages = [{ role: "user", content: await request.text() }] as const;
  return Response.json(await conversation.append(messages, { operationId }));
}

await demo(async () => {
  await using memory = await openMemory(".demo/agent.db");
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handle(memory, request),
  );
  const base = `http://127.0.0.1:${server.addr.port}/ticket-7`;
  const say = async (tenant: string, body: string): Promise<number> => {
    const headers = { authorization: `Bearer token-of-${tenant}`, "idempotency-key": body };
    return (await (await fetch(base, { method: "POST", body, headers })).json()).revision;
  };
  const ask = async (tenant: string): Promise<string> =>
    await (await fetch(`${base}?q=deployed`, { headers: { authorization: `Bearer token-of-${tenant}` } }))
      .text();

  print(`revision: ${await say("acme", "Build 40 is deployed.")}`);
  print(`retried: ${await say("acme", "Build 40 is deployed.")}`);
  print(`another tenant's: ${await say("globex", "Build 9 is deployed.")}`);
  for (const tenant of ["acme", "globex", "nowhere"]) print(`${tenant} finds: ${await ask(tenant)}`);
  const revisions = await Promise.all(
    Array.from({ length: 40 }, (_, note) => say("acme", `Note ${note}.`)),
  );
  print(`at once: ${new Set(revisions).size} revisions up to ${Math.max(...revisions)}`);
});
