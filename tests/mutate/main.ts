/**
 * Makes small random breaks in a copy of the source and prints those that no test notices: `deno task mutate --seed 7
 * --count 300`. `--rooms src/records/,src/lines/` takes only these, `--kinds sql,await` only breaks of these kinds,
 * `--only 7/12,7/40` only these draws; `--trees 2` works on two copies at a time, `--limit 240` gives a run of tests so
 * many seconds, and `--results FILE` appends a line of JSON for each break.
 */

import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";
import { summarize } from "./summary.ts";
import { BLIND, ROOMS, SPARED } from "./rooms.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "30" },
    rooms: { type: "string" },
    only: { type: "string" },
    kinds: { type: "string" },
    limit: { type: "string", default: "240" },
    trees: { type: "string", default: "1" },
    results: { type: "string" },
  },
});

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => interruption.abort(new Error("The campaign was interrupted")));
}

const chosen = values.rooms?.split(",");
const results = await runCampaign({
  root: new URL("../../", import.meta.url).pathname,
  rooms: ROOMS.filter(({ folder }) => chosen?.includes(folder) ?? true),
  allRooms: ROOMS,
  seed: Number(values.seed),
  count: Number(values.count),
  ...(values.only === undefined ? {} : { only: new Set(values.only.split(",")) }),
  ...(values.kinds === undefined ? {} : { kinds: new Set(values.kinds.split(",")) }),
  limitMs: Number(values.limit) * 1_000,
  trees: Number(values.trees),
  signal: interruption.signal,
  ignored: BLIND,
  spared: SPARED,
  onResult: (result) => {
    const [place = ""] = result.shown.split("\n");
    print(`${result.id} ${result.verdict} ${place} ${result.seconds} s ${result.noticedBy}`);
    if (values.results === undefined) return;
    Deno.writeTextFileSync(values.results, `${JSON.stringify(result)}\n`, { append: true });
  },
});
print(`\n${summarize(results)}`);
