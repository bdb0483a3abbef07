/** How data flows: what a harness writes comes down to two files, and what it reads comes back with its sources. */

import { type Box, drawArrow, drawBox, drawLines, type Picture, words } from "./svg.ts";

const HARNESS = { left: 24, right: 162 };
const FILES = { left: 716, right: 876 };
const BOX = 162;
const GAP = 17;
const HEIGHT = 132;
const WRITING = 84;
const READING = 292;
const BOTTOM = READING + HEIGHT;

/** Where the three steps between the harness and the files stand. */
const PLACES = [0, 1, 2].map((step) => HARNESS.right + GAP + step * (BOX + GAP));

type Step = Pick<Box, "heading" | "lines" | "foot">;

const WRITES: readonly Step[] = [
  {
    heading: "Validated",
    lines: ["Shape, size, deadline:", "what is wrong is a", "typed error, and", "nothing was touched."],
    foot: "src/contracts",
  },
  {
    heading: "Written down",
    lines: ["One text for one value,", "with digests and", "checksums; names as", "keyed hashes."],
    foot: "src/canonical",
  },
  {
    heading: "Committed",
    lines: ["Calls that come at", "once share a group:", "one transaction and", "one sync for all."],
    foot: "src/engine",
  },
];

/** From the harness to the files, as the others: it is read from right to left. */
const READS: readonly Step[] = [
  {
    heading: "Found and fitted",
    lines: ["Chunks are ranked and", "fitted into a budget", "of tokens, each with", "its source."],
    foot: "src/index, search, context",
  },
  {
    heading: "Checked",
    lines: ["Checksum and shape of", "every row: damage is a", "typed error, never a", "value."],
    foot: "src/records, …",
  },
  {
    heading: "One moment",
    lines: ["Main at one moment,", "then a look at the", "ledger: nothing that is", "deleted is shown."],
    foot: "src/engine",
  },
];

function drawSteps(steps: readonly Step[], y: number, tone: "main" | "read"): string[] {
  return steps.flatMap((step, index) =>
    drawBox({ ...step, x: PLACES[index]!, y, width: BOX, height: HEIGHT, tone })
  );
}

function drawHarness(): string[] {
  const { left, right } = HARNESS;
  const writes = ["records.put", "append, putTurn", "putPin", "delete, forget"];
  const reads = ["records.get", "snapshot, turns", "search", "assemble"];
  return [
    `<rect class="caller" x="${left}" y="${WRITING}" width="${right - left}" height="${
      BOTTOM - WRITING
    }" rx="6"/>`,
    words(left + 10, WRITING + 20, "Your harness", "heading"),
    ...drawLines(left + 10, WRITING + 46, writes, "code"),
    ...drawLines(left + 10, READING + 46, reads, "code"),
  ];
}

function drawFiles(): string[] {
  const x = FILES.left + 10;
  const width = FILES.right - FILES.left - 20;
  return [
    `<rect class="lane" x="${FILES.left}" y="${WRITING}" width="${FILES.right - FILES.left}" height="${
      BOTTOM - WRITING
    }" rx="6"/>`,
    words(x, WRITING + 20, "The store", "heading"),
    ...drawBox({
      x,
      y: WRITING + 32,
      width,
      height: 160,
      tone: "main",
      heading: "Main",
      lines: [
        "records, turns,",
        "pins, summaries,",
        "responses, index;",
        "the deletions that",
        "it has carried out",
      ],
      foot: "agent.db",
    }),
    ...drawBox({
      x,
      y: WRITING + 204,
      width,
      height: BOTTOM - WRITING - 214,
      tone: "ledger",
      heading: "Ledger",
      lines: ["every deletion, as", "hashes and counts,", "chained"],
      foot: "agent.db.deletions",
    }),
  ];
}

function drawWays(): string[] {
  const [into, out] = [WRITING + HEIGHT / 2, READING + HEIGHT / 2];
  const reportY = WRITING + HEIGHT + 32;
  const [first, second, third] = PLACES as [number, number, number];
  const under = BOTTOM + 22;
  const harness = (HARNESS.left + HARNESS.right) / 2;
  return [
    ...[first, second, third, FILES.left].flatMap((x) => drawArrow([[x - GAP, into], [x, into]])),
    ...drawArrow([[FILES.left, reportY], [HARNESS.right, reportY]], "back"),
    words(
      (HARNESS.right + FILES.left) / 2,
      reportY - 8,
      "acknowledged only now: a revision, a digest, a receipt",
      "quiet",
      "middle",
    ),
    ...[FILES.left, third, second, first].flatMap((x) => drawArrow([[x, out], [x - GAP, out]])),
    ...drawArrow(
      [[second + BOX / 2, BOTTOM], [second + BOX / 2, under], [harness, under], [harness, BOTTOM]],
      "back",
    ),
    words(
      (harness + second + BOX / 2) / 2,
      under + 18,
      "records, turns, snapshots: as they are stored",
      "quiet",
      "middle",
    ),
  ];
}

/** The picture. */
export const DATA_FLOW: Picture = {
  title: "How data flows",
  description:
    "Writing: what the harness passes is validated, written down as canonical JSON with digests and checksums, and " +
    "committed in a group, with one sync, to main and, where something is deleted, to the ledger. Only then is it " +
    "acknowledged. Reading: main at one moment, then a look at the ledger; each row is checked; chunks of the history " +
    "are ranked and fitted into a budget of tokens, each with its source. Records, turns and snapshots come back as " +
    "they are stored.",
  height: BOTTOM + 58,
  parts: [
    words(PLACES[0]!, WRITING - 14, "Writing", "heading"),
    ...drawSteps(WRITES, WRITING, "main"),
    words(PLACES[0]!, READING - 14, "Reading", "heading"),
    ...drawSteps(READS, READING, "read"),
    ...drawHarness(),
    ...drawFiles(),
    ...drawWays(),
  ],
};
