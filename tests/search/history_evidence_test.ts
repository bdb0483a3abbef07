import assert from "node:assert/strict";
import fc from "fast-check";
import { compareCodePoints } from "../../src/canonical/text.ts";
import { extract } from "../../src/contracts/source_ref.ts";
import { LEXICAL_ANALYZER } from "../../src/index/analysis/analyzer.ts";
import { HistoryEvidence } from "../../src/search/history_evidence.ts";
import { endsAsking } from "../../src/index/asking.ts";
import { Pace } from "../../src/pace.ts";
import { timed, turn } from "../../src/contracts/turn.ts";
import { chunksOf } from "./chunks.ts";
import { conversation, SCOPE, search, turnIdsOf } from "./conversation.ts";

const BOTH = ["reference", "holdfast"] as const;

for (const profile of BOTH) {
  Deno.test(`RET-19 Under ${profile}, scores are above zero, best first, and ties are ordered by chunk id`, async () => {
    const ranked = await search(conversation(["pump valve", "pump", "pump", "kiln", "lamp"]), "pump", {
      profile,
    });
    for (const [index, { chunk, score }] of ranked.entries()) {
      assert.ok(score.total > 0);
      assert.equal(score.total, score.lexical + score.neighbours);
      const before = ranked[index - 1];
      if (before === undefined) continue;
      const order = before.score.total - score.total ||
        compareCodePoints(chunk.chunkId, before.chunk.chunkId);
      assert.ok(order > 0);
    }
  });

  Deno.test(`RET-19 Under ${profile}, repeating a word in the question changes nothing`, async () => {
    const history = conversation(["pump north valve", "pump", "pump pump south"]);
    assert.deepEqual(
      await search(history, "pump pump pump", { profile }),
      await search(history, "pump", { profile }),
    );
  });

  Deno.test(`RET-19 Under ${profile}, only chunks above minimumScore are returned`, async () => {
    const history = conversation(["pump north valve of the kiln", "pump valve", "lamp"]);
    const all = await search(history, "pump valve", { profile });
    const lowest = all.at(-1)?.score.total ?? 0;
    const above = await search(history, "pump valve", { profile, minimumScore: lowest });
    assert.deepEqual(above, all.filter(({ score }) => score.total > lowest));
    assert.deepEqual(await search(history, "pump valve", { profile, minimumScore: 1_000 }), []);
  });

  Deno.test(`Under ${profile}, a single document can match, and nothing matches without a shared word`, async () => {
    assert.deepEqual(turnIdsOf(await search(conversation(["the pump failed"]), "pump", { profile })), ["t0"]);
    assert.deepEqual(await search(conversation(["the pump failed", "!!!", ""]), "kiln", { profile }), []);
  });

  Deno.test(`Under ${profile}, turns of the window are not searched`, async () => {
    const history = conversation(["pump one", "lamp", "pump two"]);
    const ranked = await search(history, "pump", { profile, windowSize: 1 });
    const alone = await search(history.slice(0, 2), "pump", { profile });
    assert.deepEqual(ranked, alone);
  });

  Deno.test(`Under ${profile}, the text cut from a shortened turn of the window is searched`, async () => {
    const history = conversation(["lamp", "pump alpha. pump omega."]);
    const options = { profile, windowSize: 1, chunkCharacters: 12, overlapCharacters: 0 };
    const shortened = new Map([["t1", new Map([["m1.0", "pump alpha. [...]"]])]]);
    const ranked = await search(history, "pump", { ...options, shortened });
    assert.equal(ranked[0]?.chunk.content, "pump omega.");
    assert.ok(ranked.every(({ chunk }) => chunk.content !== "pump alpha. "));
  });

  Deno.test(`Under ${profile}, every chunk extracts exactly from its turn`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 6 }),
        async (texts) => {
          const history = conversation([...texts, "pump"]);
          const size = { chunkCharacters: 9, overlapCharacters: 3 };
          for (const { chunk } of await search(history, `pump ${texts.join(" ")}`, { profile, ...size })) {
            const turn = history.find(({ turnId }) => turnId === chunk.source.turnId);
            assert.equal(turn && extract(chunk.source, turn), chunk.content);
          }
        },
      ),
      { seed: 19, numRuns: 60 },
    );
  });
}

Deno.test("A caller's chunks, in whatever order, are ranked like those that the search creates", async () => {
  const history = conversation(["pump one lamp two", ["kiln three pump", "lamp pump four kiln"], "five"]);
  const retrieval = { chunkCharacters: 8, overlapCharacters: 2, minimumScore: 0, k1: 1.5, b: 0.75 };
  const chunks = chunksOf(history, retrieval).toSorted((left, right) =>
    compareCodePoints(left.chunkId, right.chunkId)
  );
  const rules = { absentTerms: "nothing", dialogue: true } as const;
  const shared = { analyzer: LEXICAL_ANALYZER, rules, retrieval, pace: new Pace() };
  const terms = LEXICAL_ANALYZER.queryTerms("pump lamp kiln");
  const nothing = { size: 0, shortened: new Map() };
  const given = [...await new HistoryEvidence(history, { ...shared, chunks }).rank(terms, nothing)];
  const made = [...await new HistoryEvidence(history, shared).rank(terms, nothing)];
  assert.ok(made.length > 3);
  assert.deepEqual(given, made);
});

Deno.test("An answer next to the words of the question is found, and its score says so", async () => {
  const history = conversation(["lamp", "When did the relay fail?", "Just after noon.", "ok", "kiln"]);
  const ranked = await search(history, "relay failing");
  const [answer, asked, ...lent] = ranked;
  assert.deepEqual([answer, asked].map((hit) => hit?.chunk.source.turnId), ["t2", "t1"]);
  const plain = conversation(["lamp", "When did the relay fail.", "Just after noon.", "ok", "kiln"]);
  const [statement] = await search(plain, "relay failing");
  const best = statement?.score.lexical ?? 0;
  assert.ok(best > 0);
  const own = 0.7 * best;
  assert.deepEqual(asked?.score, { total: own, lexical: own, neighbours: 0 });
  const next = 0.8 * best;
  assert.deepEqual(answer?.score, { total: next, lexical: 0, neighbours: next });
  const further = lent.find(({ chunk }) => chunk.source.turnId === "t3");
  assert.deepEqual(further?.score, {
    total: 0.2 * best,
    lexical: 0,
    neighbours: 0.2 * best,
  });
  assert.ok(!turnIdsOf(ranked).includes("t4"));
});

Deno.test("A statement comes before its neighbours, and lends them the plain share", async () => {
  const history = conversation(["lamp", "The relay failed.", "Just after noon.", "kiln"]);
  const [statement, ...neighbours] = await search(history, "relay failing");
  const best = statement?.score.lexical ?? 0;
  assert.deepEqual(statement?.score, { total: best, lexical: best, neighbours: 0 });
  assert.equal(statement?.chunk.source.turnId, "t1");
  const after = neighbours.find(({ chunk }) => chunk.source.turnId === "t2");
  assert.deepEqual(after?.score, { total: 0.3 * best, lexical: 0, neighbours: 0.3 * best });
});

Deno.test("A text asks if it ends with a question mark of any script, with or without closing characters", () => {
  for (
    const text of [
      "Which?",
      "Which ?\n",
      "どれ？",
      "أيها؟",
      "(really?)",
      'He said "which?"',
      "Which? 🤔",
      "a?!?",
    ]
  ) {
    assert.ok(endsAsking(text), text);
  }
  for (const text of ["", "?no", "Which? That one.", "a ? b : c", "noted", "?".padEnd(60)]) {
    assert.ok(!endsAsking(text), text);
  }
});

Deno.test("Messages of one turn lend to each other too", async () => {
  const ranked = await search(
    conversation([["When did the relay fail?", "Just after noon."], "lamp", "lamp"]),
    "relay",
  );
  assert.deepEqual(ranked.map(({ chunk }) => chunk.source.messageId).slice(0, 2), ["m0.1", "m0.0"]);
});

Deno.test("A long message next to a match does not crowd out other matches", async () => {
  const long = "steam ".repeat(200);
  const history = conversation([
    "relay failed",
    long,
    "lamp",
    "lamp",
    "lamp",
    "the relay is a relay on the north wall",
  ]);
  const ranked = await search(history, "relay", { chunkCharacters: 100, overlapCharacters: 10 });
  assert.ok(turnIdsOf(ranked).slice(0, 4).includes("t5"));
});

Deno.test("Under holdfast, more words of the question score higher than repetitions of one", async () => {
  const history = conversation(["pump pump pump pump", "-", "-", "the pump valve", "-", "-", "lamp"]);
  assert.equal(turnIdsOf(await search(history, "pump valve"))[0], "t3");
});

Deno.test("RET-05 The exact identifier comes first, documents with its parts after it", async () => {
  const history = conversation([
    "gid of the lamp rack",
    "-",
    "-",
    "-",
    "lamp_gid is 88",
    "-",
    "-",
    "-",
    "the lamp",
  ]);
  const found = turnIdsOf(await search(history, "lamp_gid")).filter((id) => ["t0", "t4", "t8"].includes(id));
  assert.deepEqual(found, ["t4", "t0", "t8"]);
});

Deno.test("A cancelled search rejects with the signal's reason", async () => {
  const reason = new Error("enough");
  const evidence = new HistoryEvidence(conversation(["pump"]), {
    analyzer: LEXICAL_ANALYZER,
    rules: { absentTerms: "delta", dialogue: false },
    retrieval: { chunkCharacters: 9, overlapCharacters: 3, minimumScore: 0, k1: 1.5, b: 0.75 },
    pace: new Pace(AbortSignal.abort(reason)),
  });
  await assert.rejects(evidence.rank(["pump"], { size: 0, shortened: new Map() }), reason);
});

Deno.test("A date is found in each turn of that day, and is not lent, because neighbouring turns match it too", async () => {
  const days = ["2026-05-13", "2026-05-14", "2026-05-14", "2026-05-14", "2026-05-15"];
  const history = ["kiln", "pump one", "pump two", "pump three", "lamp"].map((content, index) => {
    const messages = [{ messageId: `m${index}`, role: "user" as const, content }];
    const timestamp = `${days[index]}T12:00:00+00:00`;
    return timed(turn({ turnId: `t${index}`, scope: SCOPE, messages, timestamp }), timestamp);
  });
  const ranked = await search(history, "What happened on May 14th?");
  assert.deepEqual(turnIdsOf(ranked).toSorted(), ["t0", "t1", "t2", "t3", "t4"]);
  assert.ok(ranked.every(({ score }) => score.neighbours === 0));
  const [first] = await search(history, "What did the lamp do on May 13th?");
  assert.equal(first?.chunk.source.turnId, "t4");
});
