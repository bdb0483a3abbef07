import assert from "node:assert/strict";
import { type Hit, openMemory, type TimedTurn } from "../../mod.ts";
import { profileOf } from "../../src/context/profile.ts";
import { overlap } from "../../src/context/evidence.ts";
import { HistoryEvidence } from "../../src/search/history_evidence.ts";
import { Pace } from "../../src/pace.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { Scenario, SCOPE } from "./scenario.ts";
import { Writer } from "./vocabulary.ts";

interface Asked {
  readonly profile: "reference" | "holdfast";
  readonly query: string;
  readonly topK: number;
  readonly minimumScore?: number;
  readonly chunkCharacters?: number;
}

/** What ranking decides. */
type Ranked = Pick<Hit, "source" | "content" | "score">;

function ranked(hits: readonly Hit[]): readonly Ranked[] {
  return hits.map(({ source, content, score }) => ({ source, content, score }));
}

/** Scores every chunk in memory. */
async function exhaustive(history: readonly TimedTurn[], asked: Asked): Promise<readonly Ranked[]> {
  const { analyzer, ranking } = profileOf(asked.profile);
  const { chunkCharacters = 360, minimumScore = 0 } = asked;
  const retrieval = { chunkCharacters, overlapCharacters: 10, minimumScore, k1: 1.5, b: 0.75 };
  const evidence = new HistoryEvidence(history, { analyzer, rules: ranking, retrieval, pace: new Pace() });
  const terms = analyzer.queryTerms(asked.query);
  const hits: Ranked[] = [];
  for (
    const { chunk: { source, content }, score } of await evidence.rank(terms, {
      size: 0,
      shortened: new Map(),
    })
  ) {
    if (hits.length < asked.topK && !hits.some((hit) => overlap(hit.source, source))) {
      hits.push({ source, content, score });
    }
  }
  return hits;
}

const QUERIES = [
  "rollback",
  "the deploy of the harbour ledger",
  "pump",
  "it was on in the",
  "pump valve shard-19 north wall failed noon kiln depot error retry monitor green blue relay copper",
  "timeout and rollback at noon in the north",
  "which pump failed at noon on 15 June 2025",
];

Deno.test("search() returns exactly the scores and order of exhaustive scoring, for any topK", async () => {
  await using scenario = await Scenario.start();
  const writer = new Writer(11);
  for (let index = 0; index < 220; index++) {
    await scenario.put(Array.from({ length: 1 + writer.next(3) }, () => writer.text(writer.next(45))));
  }
  const history = await scenario.history();
  for (const profile of ["reference", "holdfast"] as const) {
    for (const query of QUERIES) {
      for (const topK of [4, 2_000]) {
        const { topK: _, ...rest } = { topK, profile, query };
        const retrieval = { overlapCharacters: 10 };
        const found = await scenario.conversation.search(query, { topK, profile, retrieval });
        assert.deepEqual(ranked(found), await exhaustive(history, { ...rest, topK }));
      }
    }
  }
});

Deno.test("search() ranks questions and their answers as exhaustive scoring does", async () => {
  await using scenario = await Scenario.start();
  const writer = new Writer(14);
  for (let index = 0; index < 150; index++) {
    await scenario.put(
      Array.from(
        { length: 1 + writer.next(2) },
        () => `${writer.text(writer.next(30))}${"?.؟"[writer.next(3)]}`,
      ),
    );
  }
  const history = await scenario.history();
  for (const query of QUERIES) {
    for (const topK of [3, 2_000]) {
      const retrieval = { overlapCharacters: 10, chunkCharacters: 60 };
      const found = await scenario.conversation.search(query, { topK, retrieval });
      assert.deepEqual(
        ranked(found),
        await exhaustive(history, { profile: "holdfast", query, topK, chunkCharacters: 60 }),
      );
    }
  }
});

Deno.test("search() with a minimum score and small chunks equals exhaustive scoring", async () => {
  await using scenario = await Scenario.start();
  const writer = new Writer(12);
  for (let index = 0; index < 120; index++) await scenario.put([writer.text(30), writer.text(50)]);
  const history = await scenario.history();
  for (const profile of ["reference", "holdfast"] as const) {
    for (const minimumScore of [0, 4, 9, 30]) {
      const asked = {
        profile,
        query: "the copper relay of the north depot",
        topK: 50,
        minimumScore,
        chunkCharacters: 40,
      };
      const retrieval = { overlapCharacters: 10, chunkCharacters: 40, minimumScore };
      const found = await scenario.conversation.search(asked.query, { topK: 50, profile, retrieval });
      assert.deepEqual(ranked(found), await exhaustive(history, asked));
    }
  }
});

Deno.test("search() ranks across blocks of postings, after old turns changed and blocks were emptied", async () => {
  await using scenario = await Scenario.start();
  const writer = new Writer(13);
  const { conversation } = scenario;
  for (let index = 0; index < 1_060; index++) await scenario.put([writer.text(4)]);
  await conversation.search("pump");
  for (const which of [3, 1_030]) {
    await scenario.play({ kind: "edit", which, texts: ["the relay of the orchard was green"] });
  }
  for (let index = 0; index < 40; index++) await scenario.play({ kind: "delete", which: 0 });
  const history = await scenario.history();
  for (const query of ["green relay orchard", "rollback deploy", "the was"]) {
    const found = await conversation.search(query, { topK: 25, retrieval: { overlapCharacters: 10 } });
    assert.deepEqual(ranked(found), await exhaustive(history, { profile: "holdfast", query, topK: 25 }));
  }
});

Deno.test("search() returns the parts of each score, best first, with positive totals", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await conversation.append([{ role: "user", content: "Which shard failed over?" }]);
  await conversation.append([{ role: "assistant", content: "Nineteen, since noon." }]);
  const hits = await conversation.search("Which shard failed?");
  assert.deepEqual(hits.map(({ content }) => content), ["Nineteen, since noon.", "Which shard failed over?"]);
  assert.ok(hits[0]!.score.lexical === 0 && hits[0]!.score.neighbours > 0 && hits[1]!.score.lexical > 0);
  assert.ok(hits.every(({ score }) => score.total === score.lexical + score.neighbours && score.total > 0));
});

Deno.test("RET-01 search() takes every query literally and never throws", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await conversation.append([{ role: "user", content: "The pump-north plan for kiln 20.04 and C++ x:y" }]);
  const queries = [
    "what's the pump plan?",
    "pump-north",
    'say "hi',
    "(lamp",
    "NEAR(",
    "*",
    "^pump",
    "C++",
    "100%",
    "x:y",
    "'",
  ];
  for (const query of [...queries, "", "\0", "word ".repeat(5_000)]) await conversation.search(query);
  assert.equal((await conversation.search("pump AND")).length, 1);
  await assert.rejects(conversation.search("\ud800"), { code: "CONTRACT", field: "query" });
});

Deno.test("RET-12 No chunk of an index ends inside a character", async () => {
  await using scenario = await Scenario.start();
  await scenario.put(["tuvwxyz😀end"]);
  const snapshot = await scenario.conversation.snapshot();
  const size = { chunkCharacters: 8, overlapCharacters: 0 };
  await scenario.conversation.indexBatch(snapshot, size);
  const { chunks } = await scenario.conversation.chunkIndex(snapshot, size);
  assert.deepEqual(chunks.map(({ content }) => content), ["tuvwxyz😀", "end"]);
});

testThatNothingIsLeftOpen();
