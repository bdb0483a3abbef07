import assert from "node:assert/strict";
import { canonicalJson, type CanonicalObject } from "../../src/canonical/canonical_json.ts";
import { readStrictJson } from "../../src/canonical/strict_json.ts";
import { identifiedMessageText, messageWireText, toolsWireText } from "../../src/contracts/wire.ts";
import { requestParts, TextPart } from "../../src/context/rendering.ts";
import { toTool } from "../../src/contracts/tool.ts";
import { T1, VECTORS_TEXT } from "../vectors/conversation.ts";

type Tree = CanonicalObject;

const JOBS =
  (readStrictJson(VECTORS_TEXT) as { readonly assemble: readonly { job: Tree; result: Tree }[] }).assemble;

for (const { job, result } of JOBS) {
  const request = result.request as Tree | undefined;
  if (request === undefined) continue;
  Deno.test(`requestParts() write the request of the reference: ${job.name}`, () => {
    const messages = (request.messages as readonly Tree[]).map(({ role, content }) => {
      return { role: role as "system" | "user", parts: [new TextPart(String(content))] };
    });
    const tools = (job.tools as readonly Tree[]).map(({ name, description, parameters_json }) =>
      toTool({ name, description, parametersJson: parameters_json })
    );
    assert.equal(requestParts(messages, tools).join(""), canonicalJson(request));
  });
}

Deno.test("messageWireText() contains calls and results, but no message id", () => {
  const [, call = assert.fail(), result = assert.fail()] = T1.messages;
  assert.equal(
    messageWireText(call),
    '{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{ \\"q\\": \\"తెలుగు\\", \\"n\\": 1.0 }",' +
      '"name":"lookup"},"id":"c1","type":"function"}]}',
  );
  assert.equal(messageWireText(result), '{"content":"résult","role":"tool","tool_call_id":"c1"}');
  assert.equal(
    identifiedMessageText(result),
    '{"content":"résult","message_id":"m3","role":"tool","tool_call_id":"c1"}',
  );
});

Deno.test("toolsWireText() contains the parameters as JSON, not as text", () => {
  const tool = toTool({ name: "dig", description: "Digs.", parametersJson: '{ "depth": 1.0 }' });
  const text =
    '{"function":{"description":"Digs.","name":"dig","parameters":{"depth":1.0}},"type":"function"}';
  assert.equal(toolsWireText([tool]), `[${text}]`);
  assert.equal(toolsWireText([tool, tool]), `[${text},${text}]`);
});
