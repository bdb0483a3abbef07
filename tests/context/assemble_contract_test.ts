import assert from "node:assert/strict";
import { inspect } from "node:util";
import { assembleContext, type AssembleContextInput } from "../../src/context/assemble_context.ts";
import { PACKAGE_VERSION } from "../../src/package_version.ts";
import { turn } from "../../src/contracts/turn.ts";
import { SCOPE } from "../search/conversation.ts";
import { BASE, HISTORY } from "./gate_phrase.ts";
import { STUB4 } from "./golden.ts";

/** Invalid input, and the field that the error names. */
const WRONG: readonly (readonly [object, string])[] = [
  [{ scope: { tenantId: "t" } }, "scope"],
  [{ history: "none" }, "history"],
  [{ history: [{}] }, "history[0]"],
  [{ history: [...HISTORY, HISTORY[0]] }, "history[13].turnId"],
  [{
    history: [
      HISTORY[0],
      turn({ turnId: "x", scope: SCOPE, messages: [{ messageId: "m0.0", role: "user", content: "" }] }),
    ],
  }, "history[1].messages[0].messageId"],
  [{ scope: { tenantId: "t", sessionId: "other" } }, "history[0].scope"],
  [{ question: 7 }, "question"],
  [{ question: { messageId: "q", role: "assistant", content: "" } }, "question.role"],
  [{ question: { messageId: "m0.0", role: "user", content: "" } }, "question.messageId"],
  [{ question: "\ud800" }, "question"],
  [{ question: "" }, "question"],
  [{ question: " \u001c\u3000" }, "question"],
  [{ question: { messageId: "q", role: "user", content: "\n" } }, "question.content"],
  [{ pins: [BASE.pins?.[0], BASE.pins?.[0]] }, "pins[1].key"],
  [{ pins: {} }, "pins"],
  [{ pins: null }, "pins"],
  [{ budget: { maxInputTokens: 0 } }, "budget.maxInputTokens"],
  [{ system: " " }, "system"],
  [{ system: "\ud800" }, "system"],
  [{ at: "yesterday" }, "at"],
  [{ profile: "toString" }, "profile"],
  [{ counting: { counter: {} } }, "counting.counter.name"],
  [{ cap: { maxTokens: 0 } }, "cap.maxTokens"],
  [{ retrieval: { b: 2 } }, "retrieval.b"],
  [{ summaryPolicy: {} }, "summaryPolicy.getSummary"],
  [{ summaryPrefix: 1 }, "summaryPrefix"],
  [{ tools: [{ name: "f" }] }, "tools[0]"],
  [{ tools: [1, 2].map(() => ({ name: "f", description: "", parametersJson: "{}" })) }, "tools[1].name"],
  [{ options: { cap: 1 } }, "options.cap"],
  [{ chunkIndex: {} }, "chunkIndex"],
  [{ signal: {} }, "signal"],
  [{ unknown: 1 }, "input"],
];

for (const [wrong, field] of WRONG) {
  Deno.test(`assembleContext() refuses ${Object.keys(wrong)[0]} by the field ${field} before anything is counted`, async () => {
    const counter = { ...STUB4, countText: (): number => assert.fail("counted") };
    const input = { ...BASE, counting: { counter }, ...wrong } as AssembleContextInput;
    await assert.rejects(assembleContext(input), (error: unknown) => {
      assert.ok(error instanceof Error && "code" in error && "field" in error);
      assert.equal(error.code, "CONTRACT");
      assert.ok(String(error.field).startsWith(field), `${error.field}`);
      return true;
    });
  });
}

Deno.test("BLK-01 A blank question is refused, except under the reference profile", async () => {
  for (const question of ["", "   ", { messageId: "q", role: "user", content: "\t" } as const]) {
    await assert.rejects(assembleContext({ ...BASE, question, profile: "holdfast" }), {
      code: "CONTRACT",
      field: typeof question === "string" ? "question" : "question.content",
    });
    const { request } = await assembleContext({ ...BASE, question, profile: "reference" });
    const content = typeof question === "string" ? question : question.content;
    assert.equal(request.messages.at(-1)?.content, content);
  }
});

Deno.test("Every read of the request returns a new copy, and everything else is frozen", async () => {
  const context = await assembleContext(BASE);
  const { request } = context;
  const first = request.messages[0];
  assert.ok(first);
  first.content = "changed";
  request.messages.length = 0;
  assert.equal(context.request.messages[0]?.content, "Use the data.");
  assert.ok(Object.isFrozen(context.diagnostics.layers[0]) && Object.isFrozen(context.blocks[0]));
});

Deno.test("A context and its parts print only ids and counts, and are complete as JSON (PRN-01)", async () => {
  const context = await assembleContext({
    ...BASE,
    question: "What is SECRET-QUESTION about the gate phrase?",
  });
  const printed = [
    JSON.stringify(context.export()),
    ...[context, context.blocks, context.request, context.request.messages, context.request.messages[0]]
      .flatMap(
        (part) => [Deno.inspect(part), Deno.inspect([part], { depth: 9 }), inspect(part, { depth: 9 })],
      ),
  ];
  for (const text of printed) {
    for (const secret of ["TOPAZ", "SECRET-QUESTION", "telemetry", "Use the data", "prod"]) {
      assert.ok(!text.includes(secret));
    }
  }
  assert.deepEqual(JSON.parse(JSON.stringify(context)), structuredClone({ ...context }));
  assert.ok(JSON.stringify(context.blocks).includes("TOPAZ"));
  const { diagnostics, contentIncluded, request } = context.export({ includeContent: true });
  assert.equal(contentIncluded, true);
  assert.deepEqual(request, context.request);
  assert.deepEqual(diagnostics, context.diagnostics);
  assert.throws(() => context.export({ includeContent: 1 as unknown as boolean }), {
    code: "CONTRACT",
    field: "includeContent",
  });
});

Deno.test("Diagnostics contain no text of the conversation", async () => {
  const { diagnostics } = await assembleContext(BASE);
  const text = JSON.stringify(diagnostics);
  for (const secret of ["TOPAZ", "telemetry", "gate phrase", "prod"]) assert.ok(!text.includes(secret));
});

Deno.test("The default counter is loaded if none is passed", async () => {
  const { counting: _, ...rest } = BASE;
  const { estimate } = (await assembleContext(rest)).diagnostics;
  assert.equal(estimate.tokenizerName, "o200k_base");
});

Deno.test("The version in the diagnostics is that of the package", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assert.equal(PACKAGE_VERSION, version);
});

Deno.test("TOK-07 Text that is too large for any request is refused before anything is counted", async () => {
  const counter = { ...STUB4, countText: (): number => assert.fail("counted") };
  const large = "数".repeat(333_334);
  const cases = [
    [{ system: large }, "system"],
    [{ question: large }, "question"],
    [{ question: { messageId: "q", role: "user", content: large } }, "question.content"],
  ] as const;
  for (const [wrong, field] of cases) {
    await assert.rejects(assembleContext({ ...BASE, counting: { counter }, ...wrong }), {
      code: "CONTRACT",
      field,
    });
  }
});
