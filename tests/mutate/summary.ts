/** What a campaign came to: counts by room and by kind, and each break that survived. */

import type { Result } from "./campaign.ts";

/** The summary as text. */
export function summarize(results: readonly Result[]): string {
  const survivors = results.filter(({ verdict }) => verdict === "survived");
  return [
    ...countBy(results, ({ room }) => room),
    "",
    ...countBy(results, ({ found }) => found.kind),
    "",
    ...countBy(results, () => "all"),
    ...survivors.map(({ id, shown }) => `\n${id} ${shown}`),
  ].join("\n");
}

function countBy(results: readonly Result[], name: (result: Result) => string): readonly string[] {
  return [...Map.groupBy(results, name)].map(([group, all]) => {
    const untyped = all.filter(({ verdict }) => verdict === "untyped").length;
    const noticed = all.filter(({ verdict }) => verdict === "noticed").length;
    const tried = all.length - untyped;
    return `${group}: ${noticed} of ${tried} noticed; ${untyped} more do not compile`;
  });
}
