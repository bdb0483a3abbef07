/**
 * How a deletion goes through both files, and what a kill at each step leaves: the steps of
 * `src/engines/sqlite/write/write_group.ts`, with a write-ahead log.
 */

import { type Box, drawArrow, drawBox, drawLines, type Picture, words } from "./svg.ts";

const LEFT = 100;
const COLUMN = 131;
const BOX = 116;
const LANES = {
  caller: { top: 58, height: 96 },
  main: { top: 164, height: 128 },
  ledger: { top: 302, height: 128 },
} as const;
const KILLED = 466;
const INSET = 8;

type Lane = keyof typeof LANES;

interface Step extends Pick<Box, "heading" | "lines" | "foot"> {
  readonly lane: Lane;
  readonly column: number;
}

const STEPS: readonly Step[] = [
  { lane: "caller", column: 0, heading: "delete", lines: ["a turn, a pin, or", "a conversation"] },
  {
    lane: "main",
    column: 0,
    heading: "1  Erase",
    lines: ["it and all that", "derives from it;", "not committed"],
    foot: "BEGIN",
  },
  {
    lane: "ledger",
    column: 1,
    heading: "2  Announce",
    lines: ["that a deletion", "is coming: alone", "in a commit"],
    foot: "COMMIT",
  },
  {
    lane: "ledger",
    column: 2,
    heading: "3  Record",
    lines: ["hashes, counts,", "the next link of", "the chain"],
    foot: "COMMIT",
  },
  {
    lane: "main",
    column: 3,
    heading: "4  Complete",
    lines: ["main says that it", "has carried out", "the deletion"],
    foot: "COMMIT",
  },
  {
    lane: "caller",
    column: 4,
    heading: "5  Receipt",
    lines: ["its place in the", "chain, and what", "was erased"],
  },
  {
    lane: "main",
    column: 4,
    heading: "6  Scrub",
    lines: ["tables rewritten,", "logs emptied:", "no byte is left"],
    foot: "complete: true",
  },
  {
    lane: "caller",
    column: 5,
    heading: "7  Verify",
    lines: ["any time later:", "chain unbroken,", "nothing remains"],
  },
];

/** What a kill leaves, column by column. */
const KILLS: readonly { readonly heading: string; readonly lines: readonly string[] }[] = [
  { heading: "in 1", lines: ["Nothing happened.", "Main is as it was;", "there is nothing", "to do."] },
  {
    heading: "in 2, or before 3",
    lines: ["Nothing happened.", "The next write", "takes back what", "was announced."],
  },
  {
    heading: "in 3's COMMIT",
    lines: ["Recorded whole", "or not at all:", "the next process", "sees which."],
  },
  {
    heading: "between 3 and 4",
    lines: ["Deleted. The next", "write, open or read", "of it, in any", "process, does 4."],
  },
  {
    heading: "after 4",
    lines: ["Deleted. Repeated,", "delete returns the", "same receipt; prune", "goes on scrubbing."],
  },
  { heading: "in 7", lines: ["Nothing to do:", "it only reads."] },
];

function leftOf(column: number): number {
  return LEFT + column * COLUMN;
}

function topOf(lane: Lane): number {
  return LANES[lane].top + INSET;
}

function middleOf(lane: Lane): number {
  return LANES[lane].top + LANES[lane].height / 2;
}

function drawLane(lane: Lane, name: string, file: readonly string[]): string[] {
  const { top, height } = LANES[lane];
  return [
    `<rect class="lane" x="12" y="${top}" width="876" height="${height}" rx="6"/>`,
    words(24, top + 28, name, "heading"),
    ...drawLines(24, top + 46, file, "code"),
  ];
}

function drawStep({ lane, column, ...step }: Step): string[] {
  return drawBox({
    ...step,
    x: leftOf(column),
    y: topOf(lane),
    width: BOX,
    height: LANES[lane].height - 2 * INSET,
    tone: lane,
  });
}

function drawWays(): string[] {
  const center = (column: number): number => leftOf(column) + BOX / 2;
  const bottomOf = (lane: Lane): number => LANES[lane].top + LANES[lane].height - INSET;
  const [main, ledger] = [middleOf("main"), middleOf("ledger")];
  return [
    ...drawArrow([[center(0), bottomOf("caller")], [center(0), topOf("main")]]),
    ...drawArrow([[leftOf(0) + BOX, main], [center(1), main], [center(1), topOf("ledger")]]),
    ...drawArrow([[leftOf(1) + BOX, ledger], [leftOf(2), ledger]]),
    ...drawArrow([[leftOf(2) + BOX, ledger], [center(3), ledger], [center(3), bottomOf("main")]]),
    ...drawArrow([[center(3), topOf("main")], [center(3), middleOf("caller")], [
      leftOf(4),
      middleOf("caller"),
    ]]),
    ...drawArrow([[center(4), bottomOf("caller")], [center(4), topOf("main")]], "back"),
    ...drawArrow([[leftOf(4) + BOX, middleOf("caller")], [leftOf(5), middleOf("caller")]], "back"),
    ...drawArrow([[center(5), ledger], [center(5), bottomOf("caller")]], "back"),
    ...[main, ledger].map((y) => `<circle class="tip" cx="${center(5)}" cy="${y}" r="4"/>`),
    words(center(5), ledger + 22, "from both files", "quiet", "middle"),
  ];
}

/** From here on the deletion is certain. */
function drawPoint(): string[] {
  const x = leftOf(2) + BOX + (COLUMN - BOX) / 2;
  return [
    `<line class="point" x1="${x}" y1="${LANES.caller.top - 8}" x2="${x}" y2="${KILLED + 92}"/>`,
    words(x - 8, LANES.caller.top - 14, "so far nothing has happened", "told", "end"),
    words(x + 8, LANES.caller.top - 14, "recorded: it will be completed, whatever comes", "told"),
  ];
}

function drawKills(): string[] {
  return [
    words(24, KILLED + 8, "Killed …", "heading"),
    ...KILLS.flatMap(({ heading, lines }, column) => [
      words(leftOf(column), KILLED + 8, heading, "heading"),
      ...drawLines(leftOf(column), KILLED + 28, lines),
    ]),
  ];
}

/** The picture. */
export const DELETION: Picture = {
  title: "How a deletion goes",
  description:
    "A deletion goes through two files. 1: main erases what is deleted and all that derives from it, not committed. 2: " +
    "the ledger announces a deletion, in a commit of its own. 3: the ledger records it, and commits; from here on it " +
    "is certain. 4: main says that it has carried it out, and commits. 5: the receipt. 6: a scrub rewrites tables and empties " +
    "logs. 7: the receipt is verified at any later time. A kill before the commit of 3 leaves everything as it was, " +
    "and the next write takes back what was announced. A kill between 3 and 4 leaves a deletion that is completed by " +
    "the next write, open or read of it, in any process. A kill after 4 leaves it deleted: repeated, delete " +
    "returns the same receipt, and the next prune goes on scrubbing.",
  height: KILLED + 168,
  parts: [
    ...drawLane("caller", "You", []),
    ...drawLane("main", "Main", ["agent.db"]),
    ...drawLane("ledger", "Ledger", ["agent.db", ".deletions"]),
    ...drawPoint(),
    ...STEPS.flatMap(drawStep),
    ...drawWays(),
    ...drawKills(),
    ...drawLines(24, KILLED + 118, [
      "A COMMIT that is refused, as on a full disk, ends like a kill: before the line the error means that nothing changed, after it",
      'the error says details.recorded. If that cannot be found out, it says outcome: "unknown", and writes are refused until the',
      "store is opened again. With a rollback journal no commit can come back by itself, and step 2 is left out.",
    ], "quiet"),
  ],
};
