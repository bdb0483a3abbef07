/**
 * Many tenants in one process, behind HTTP: the handler derives the tenant from a token that it trusts, never from what a
 * request says about itself. One open store serves them all.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo --allow-net=127.0.0.1 examples/07_many_tenants.ts`
 */
import { type Memory, openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

/** Who holds which token. A real service verifies a signature here. */
const TENANTS = new Map([["token-of-orchard", "orchard"], ["token-of-harbour", "harbour"]]);

/** `POST /session` appends a message, once for each idempotency key; `GET /session?q=…` gives what answers. */
async function handle(memory: Memory, request: Request): Promise<Response> {
  const tenantId = TENANTS.get(request.headers.get("authorization")?.replace("Bearer ", "") ?? "");
  if (tenantId === undefined) return new Response("Who are you?", { status: 401 });
  const { pathname, searchParams } = new URL(request.url);
  const talk = memory.conversation({ tenantId, sessionId: pathname.slice(1) });
  if (request.method === "GET") {
    return Response.json((await talk.search(searchParams.get("q") ?? "")).map((hit) => hit.content));
  }
  const operationId = request.headers.get("idempotency-key")!;
  return Response.json(await talk.append([{ role: "user", content: await request.text() }], { operationId }));
}

await demo(async () => {
  await using memory = await openMemory(".demo/agent.db");
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handle(memory, request),
  );
  const base = `http://127.0.0.1:${server.addr.port}/spring`;
  const say = async (tenant: string, body: string): Promise<number> => {
    const headers = { authorization: `Bearer token-of-${tenant}`, "idempotency-key": body };
    return (await (await fetch(base, { method: "POST", body, headers })).json()).revision;
  };
  const ask = async (tenant: string): Promise<string> =>
    await (await fetch(`${base}?q=deep`, { headers: { authorization: `Bearer token-of-${tenant}` } })).text();

  print(`revision: ${await say("orchard", "The well is forty metres deep.")}`);
  print(`retried: ${await say("orchard", "The well is forty metres deep.")}`);
  print(`another tenant's: ${await say("harbour", "The quay is nine metres deep.")}`);
  for (const tenant of ["orchard", "harbour", "nowhere"]) print(`${tenant} finds: ${await ask(tenant)}`);
  const revisions = await Promise.all(
    Array.from({ length: 40 }, (_, note) => say("orchard", `Note ${note}.`)),
  );
  print(`at once: ${new Set(revisions).size} revisions up to ${Math.max(...revisions)}`);
});
