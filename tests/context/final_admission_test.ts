import assert from "node:assert/strict";
import { account } from "../../src/context/accounting.ts";
import { Capper } from "../../src/context/capper.ts";
import { CountMemory } from "../../src/context/counting/count_memory.ts";
import { evidenceDraft } from "../../src/context/evidence.ts";
import { admit } from "../../src/context/final_admission.ts";
import { PartCounter } from "../../src/context/counting/part_counter.ts";
import { draftOf } from "../../src/context/rendering.ts";
import { RequestMeter } from "../../src/context/request_meter.ts";
import type { TokenCounter } from "../../src/context/counting/token_counter.ts";
import { windowDraft, WindowTurns } from "../../src/context/window_turns.ts";
import { Pace } from "../../src/pace.ts";
import { chunksOf } from "../search/chunks.ts";
import { conversation } from "../search/conversation.ts";

const UNITS: TokenCounter = { name: "units", version: "1", countText: (text) => text.length };
const CALIBRATION = { calibrationFactor: 1, adapterOverheadTokens: 0 };
const QUESTION = "Which pump?";

async function candidate(): Promise<Parameters<typeof admit>[0]> {
  const memory = new CountMemory();
  const history = conversation(["pump zero", "pump one", "pump two", "pump three"]);
  const capper = new Capper(null, new PartCounter(UNITS, memory), memory);
  const turns = new WindowTurns(
    { count: 2, newestFirst: () => history.slice(2).toReversed() },
    capper,
    new Pace(),
  );
  await turns.at(1);
  const window = turns.newest(2);
  const chunks = chunksOf(history.slice(0, 2), { chunkCharacters: 360, overlapCharacters: 80 });
  const drafts = {
    system: draftOf("Use the data."),
    summary: draftOf("A summary."),
    window: windowDraft(window),
    retrieved: evidenceDraft(chunks),
  };
  return { drafts, window, chunks };
}

function meterOf(counter: TokenCounter): RequestMeter {
  return new RequestMeter({
    counter: new PartCounter(counter, new CountMemory()),
    calibration: CALIBRATION,
    tools: [],
  });
}

function admission(inputAllowance: number, counter = UNITS): Parameters<typeof admit>[1] {
  return { meter: meterOf(counter), question: QUESTION, inputAllowance, pace: new Pace() };
}

Deno.test("A request that fits is admitted unchanged", async () => {
  const given = await candidate();
  const { drops, window, chunks, estimate } = admit(given, admission(10_000));
  assert.deepEqual([drops, window, chunks], [[], given.window, given.chunks]);
  assert.ok(estimate.estimatedTokens < 10_000);
});

Deno.test("The summary is removed first, then the oldest turns, then the last of the evidence", async () => {
  const given = await candidate();
  const mandatory = meterOf(UNITS).estimated({ system: draftOf("Use the data.") }, QUESTION);
  const { drops, drafts, estimate } = admit(given, admission(mandatory));
  assert.deepEqual(drops.map(({ kind, sourceId }) => [kind, sourceId]), [
    ["summary", null],
    ["window", "t2"],
    ["window", "t3"],
    ["retrieved", given.chunks[1]?.chunkId],
    ["retrieved", given.chunks[0]?.chunkId],
  ]);
  assert.deepEqual(drops[0]?.reason, "final_request_over_budget");
  assert.equal(estimate.estimatedTokens, mandatory);
  assert.deepEqual([drafts.window?.parts, drafts.retrieved?.parts, drafts.summary?.parts], [[], [], []]);
});

Deno.test("No more is removed than is necessary", async () => {
  const given = await candidate();
  const whole = meterOf(UNITS).estimated(given.drafts, QUESTION);
  assert.deepEqual(admit(given, admission(whole - 1)).drops.map(({ kind }) => kind), ["summary"]);
});

Deno.test("A request that is too large with nothing left to remove is refused with the counts", async () => {
  const mandatory = meterOf(UNITS).estimated({ system: draftOf("Use the data.") }, QUESTION);
  const given = await candidate();
  const details = { requiredTokens: mandatory, inputAllowance: mandatory - 1, overflowTokens: 1 };
  assert.throws(() => admit(given, admission(mandatory - 1)), {
    code: "REQUIRED_CONTEXT_TOO_LARGE",
    details,
  });
});

Deno.test("A counter that returns another number for the final request is refused", async () => {
  let asked = 0;
  const drifting = { ...UNITS, countText: (text: string) => text.length + asked++ };
  const given = await candidate();
  assert.throws(() => admit(given, admission(100_000, drifting)), { code: "POLICY" });
});

Deno.test("Base and shares add up to the estimate, and blocks without content cost nothing", async () => {
  const given = await candidate();
  const meter = meterOf(UNITS);
  const admitted = admit(given, { ...admission(10_000), meter });
  const { baseRequestTokens, blocks } = account(admitted, meter, QUESTION);
  const shares = blocks.reduce((sum, block) => sum + block.inputDeltaTokens, 0);
  assert.equal(baseRequestTokens + shares, admitted.estimate.estimatedTokens);
  assert.deepEqual(blocks.map(({ kind }) => kind), [
    "system",
    "pinned",
    "summary",
    "window",
    "retrieved",
    "question",
  ]);
  const pinned = blocks.find(({ kind }) => kind === "pinned");
  assert.deepEqual(pinned, {
    kind: "pinned",
    contentTokens: 0,
    inputDeltaTokens: 0,
    sources: [],
    included: false,
  });
});
