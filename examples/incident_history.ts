/** The invented conversation of example 04: an agent and an engineer on call during a long incident, made from a seed. */

/** One message of the history. */
export interface IncidentMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
}

/** The answers to the question of the example: each occurs once, early, in words that the question does not repeat. */
const TURNING_POINTS: Readonly<Record<number, readonly [question: string, answer: string]>> = {
  12: [
    "Who touched the gateway this morning?",
    "Imani switched the flag adaptive_batching on for relay-gateway at 09:42, as part of change CHG-4417. " +
    "Nothing else was changed before the alert.",
  ],
  14: [
    "And when did shard-19 begin to fall behind?",
    "Its replica lag left the baseline at 09:47, five minutes after that change, and reached 340 s at 10:10.",
  ],
  131: [
    "Can we fail shard-19 over?",
    "Not yet: its standby db-19b misses the last 40 minutes of writes. Failing over now would lose them.",
  ],
  246: [
    "Decision from the incident call?",
    "Keep the flag off until the batch limit of relay-gateway is fixed (RG-2291); Tomas owns it, due on Friday.",
  ],
};

const SERVICES = [
  "relay-gateway",
  "order-intake",
  "ledger-writer",
  "notify-fanout",
  "search-sync",
  "billing-export",
];
const REGIONS = ["eu-west", "eu-north", "us-east", "ap-south"];
const METRICS = ["p99 latency", "error rate", "queue depth", "replica lag", "CPU", "open connections"];
const CAUSES = [
  "a slow disk",
  "lock waits on order_items",
  "retries from the clients",
  "a cold cache",
  "one noisy tenant",
];
const NAMES = ["Imani", "Tomas", "Yuki", "Ola", "Priya"];

class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  number(low: number, high: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return low + Math.floor((this.#state / 2 ** 32) * (high - low + 1));
  }

  of<T>(items: readonly T[]): T {
    return items[this.number(0, items.length - 1)]!;
  }
}

/** The turns, oldest first: `count` of them. */
export function* incidentTurns(
  count: number,
  seed = 4_417,
): Generator<readonly IncidentMessage[], void, undefined> {
  const dice = new Dice(seed);
  for (let index = 0; index < count; index++) {
    const point = TURNING_POINTS[index];
    yield point === undefined ? ordinaryTurn(dice, index) : spoken(...point);
  }
}

function spoken(question: string, answer: string): readonly IncidentMessage[] {
  return [{ role: "user", content: question }, { role: "assistant", content: answer }];
}

function ordinaryTurn(dice: Dice, index: number): readonly IncidentMessage[] {
  const kinds = [lookUp, lookUp, handOver, rumour, logExcerpt, smallTalk] as const;
  return dice.of(kinds)(dice, index);
}

function lookUp(dice: Dice, index: number): readonly IncidentMessage[] {
  const service = dice.of(SERVICES);
  const region = dice.of(REGIONS);
  const metric = dice.of(METRICS);
  const callId = `call-${index}`;
  const argumentsJson = JSON.stringify({ service, region, metric, minutes: dice.number(5, 60) });
  const values = Array.from({ length: 6 }, () => dice.number(3, 900)).join(", ");
  return [
    { role: "user", content: `How is the ${metric} of ${service} in ${region}?` },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: callId, name: "read_metric", arguments: argumentsJson }],
    },
    {
      role: "tool",
      toolCallId: callId,
      content: `${service} ${region} ${metric}: ${values} (last ten-minute means)`,
    },
    {
      role: "assistant",
      content: `It is ${dice.of(["steady", "rising", "falling", "noisy but within bounds"])} now.`,
    },
  ];
}

function handOver(dice: Dice): readonly IncidentMessage[] {
  const shard = dice.number(1, 32);
  return spoken(
    `${dice.of(NAMES)} takes over the watch. Anything open on shard-${String(shard).padStart(2, "0")}?`,
    `One task: compare its checksums after the backfill of ${dice.of(SERVICES)}; ticket OPS-${
      dice.number(1_000, 9_999)
    }.`,
  );
}

function rumour(dice: Dice): readonly IncidentMessage[] {
  const suspect = dice.of(CAUSES);
  return spoken(
    `${dice.of(NAMES)} suspects ${suspect} behind the slow ${dice.of(SERVICES)}. Do we have proof?`,
    `No. The samples I took speak against ${suspect}: it shows on ${dice.number(1, 4)} of ${
      dice.number(9, 40)
    } hosts only.`,
  );
}

function logExcerpt(dice: Dice, index: number): readonly IncidentMessage[] {
  const service = dice.of(SERVICES);
  const lines = Array.from({ length: dice.number(6, 18) }, (_, line) => {
    const ms = dice.number(20, 4_000);
    return `10:${String((index + line) % 60).padStart(2, "0")} ${service} WARN request took ${ms} ms, shard-${
      dice.number(1, 32)
    }, attempt ${dice.number(1, 5)}`;
  });
  return [
    { role: "user", content: `Log of ${service}:\n${lines.join("\n")}` },
    {
      role: "assistant",
      content: `Mostly slow requests, the worst ones on a few shards; nothing new in ${service}.`,
    },
  ];
}

function smallTalk(dice: Dice): readonly IncidentMessage[] {
  return spoken(
    dice.of([
      "Coffee is here, back in five.",
      "Status page text, please.",
      "Do the customers see it?",
      "Next check in ten?",
    ]),
    dice.of([
      "Noted.",
      "Posted: degraded performance, no data loss.",
      "About 2 % of checkouts are slow.",
      "Set for ten minutes.",
    ]),
  );
}
