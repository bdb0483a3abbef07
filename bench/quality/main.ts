/**
 * Measures how well questions find the turns that answer them: recall at 1, 5 and 10 and the mean reciprocal rank of both
 * profiles and of SQLite's FTS5 (Porter, words OR-ed), over the set in this folder.
 *
 * Goal: to see whether retrieval gets better or worse, and for which kind of question. Non-goal: speed, generated answers,
 * or figures that hold for other conversations. The set is not random, and the order of ties is fixed. Every searcher has
 * the same turns; FTS5 has only their text, the default profile also their time.
 */
import { DatabaseSync } from "node:sqlite";
import { checksumOf } from "../../src/canonical/checksum.ts";
import { readArguments } from "../arguments.ts";
import { print, refuse } from "../ending.ts";
import { readSet } from "./conversation_set.ts";
import { type Figures, figuresOf, type Ranking, RANKS } from "./figures.ts";
import { openSearchers } from "./searchers.ts";

interface Asked extends Ranking {
  readonly searcher: string;
  readonly kind: string;
  readonly question: string;
}

interface Row {
  /** The kind of the questions, or `all`. */
  readonly kind: string;
  readonly searcher: string;
  readonly figures: Figures;
}

const USAGE = `Usage: deno task quality [--small] [--json] [--misses]

Asks the questions of the set and prints how well each searcher finds the turns that answer them.

  --small   use a small part, to show that everything still runs
  --json    print JSON
  --misses  also list the questions whose evidence the default does not find among the first ten

Exits with 1 if the default is not ahead of both others in every figure over all questions.`;

async function askAll(size: "small" | "full"): Promise<{ readonly asked: Asked[]; readonly turns: number }> {
  const asked: Asked[] = [];
  let turns = 0;
  for (const conversation of readSet(size)) {
    turns += conversation.turns.length;
    const searchers = await openSearchers(conversation);
    for (const { kind, question, evidence } of conversation.questions) {
      for (const searcher of searchers) {
        const found = await searcher.search(question);
        asked.push({ searcher: searcher.name, kind, question, evidence, found });
      }
    }
    for (const searcher of searchers) await searcher[Symbol.asyncDispose]();
  }
  return { asked, turns };
}

function rowsOf(asked: readonly Asked[]): Row[] {
  const kinds = [...new Set(asked.map(({ kind }) => kind))].sort();
  const searchers = [...new Set(asked.map(({ searcher }) => searcher))];
  return [...kinds, "all"].flatMap((kind) =>
    searchers.map((searcher) => {
      const some = asked.filter((one) => one.searcher === searcher && (kind === "all" || one.kind === kind));
      return { kind, searcher, figures: figuresOf(some) };
    })
  );
}

/** Whether the default is ahead of the others in every figure; its recall may also be 1. */
function leads(rows: readonly Row[]): boolean {
  const overall = rows.filter(({ kind }) => kind === "all");
  const [ours] = overall.filter(({ searcher }) => searcher === "holdfast").map(({ figures }) => figures);
  const others = overall.filter(({ searcher }) => searcher !== "holdfast").map(({ figures }) => figures);
  return ours !== undefined &&
    others.every((figures) =>
      RANKS.every((rank) => ours.recall[rank] > figures.recall[rank] || ours.recall[rank] === 1) &&
      ours.mrr > figures.mrr
    );
}

function format({ kind, searcher, figures }: Row): string {
  const numbers = [...RANKS.map((rank) => figures.recall[rank]), figures.mrr];
  return [
    kind.padEnd(12),
    String(figures.questions).padStart(9),
    `  ${searcher.padEnd(10)}`,
    ...numbers.map((number) => number.toFixed(3).padStart(10)),
  ].join("");
}

function sqliteVersion(): string {
  using database = new DatabaseSync(":memory:");
  return database.prepare("SELECT sqlite_version() AS version").get()?.version as string;
}

const { flags, words } = readArguments(Deno.args, { usage: USAGE, flags: ["--small", "--json", "--misses"] });
if (words.length > 0) refuse(`Unexpected argument: "${words[0]}"`, USAGE);
const size = flags.has("--small") ? "small" : "full";
const { asked, turns } = await askAll(size);
const rows = rowsOf(asked);
const questions = rows.at(-1)?.figures.questions ?? 0;
const checksum = checksumOf(JSON.stringify(asked));
const versions = { deno: Deno.version.deno, sqlite: sqliteVersion() };
if (flags.has("--json")) {
  print(JSON.stringify({ ...versions, size, turns, questions, checksum, rows }, null, 2));
} else {
  print(`Deno ${versions.deno}, SQLite ${versions.sqlite}; ${turns} turns, ${questions} questions`);
  const names = [...RANKS.map((rank) => `recall@${rank}`), "MRR"];
  print(
    `${"kind".padEnd(12)}questions  ${"searcher".padEnd(10)}${
      names.map((name) => name.padStart(10)).join("")
    }`,
  );
  for (const row of rows) print(format(row));
  print(`[work ${checksum}]`);
}
if (!leads(rows)) {
  Deno.stderr.writeSync(new TextEncoder().encode("The default profile is not ahead of the others\n"));
  Deno.exitCode = 1;
}
if (flags.has("--misses")) {
  for (const { searcher, kind, question, evidence, found } of asked) {
    if (searcher !== "holdfast" || evidence.some((id) => found.slice(0, 10).includes(id))) continue;
    print(`${kind}: ${question} [${evidence.join(" ")}]`);
  }
}
