/** A history of a protocol goes through a store, and comes back as it was. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { openaiChat } from "../../src/formats/message_formats.ts";

Deno.test("a history of OpenAI's goes through append and turns, and comes back as it was", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
  const history = [
    { role: "developer", content: "Answer in one sentence." },
    { role: "user", content: [{ type: "text", text: "Where is" }, { type: "text", text: "order 7?" }] },
    {
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "track", arguments: '{"order": 7' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "" },
    { role: "assistant", content: "Customs has it.", refusal: null, annotations: [] },
    { role: "critic", content: "Too short.", score: 0.5 },
  ];
  for (const message of history) await conversation.append(openaiChat.parse([message]));
  const messages = [];
  for await (const turn of conversation.turns()) messages.push(...turn.messages);
  assert.deepEqual(openaiChat.write(messages), history);
  const [hit] = await conversation.search("Who has it: customs?");
  assert.equal(hit?.content, "Customs has it.");
  assert.deepEqual((await memory.check()).problems, []);
});
