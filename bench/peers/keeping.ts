/**
 * What each keeps where cost is not the question. Every answer is found by trying it; one that is not what is said
 * here fails the run. `null`: the question does not arise, or is the caller's to answer.
 */

/** In the order of the columns. */
export const KEEPERS = ["Holdfast", "Deno KV", "JSON lines", "SQLite FTS5", "MemorySaver"] as const;

/** Who is asked. */
export type Keeper = (typeof KEEPERS)[number];

/** One question to all of them. */
export interface Keeping {
  readonly what: string;
  /** What is said of each. */
  readonly said: Readonly<Record<Keeper, boolean | null>>;
  /** Finds out; undefined where a peer cannot be had here. */
  readonly tries: Readonly<Partial<Record<Keeper, () => Promise<boolean | undefined>>>>;
}

/** A row of the table in docs/PEERS.md. */
export function rowOf({ what, said }: Keeping): string {
  const word = (keeper: Keeper): string => said[keeper] === null ? "–" : said[keeper] ? "yes" : "no";
  return `| ${[what, ...KEEPERS.map(word)].join(" | ")} |`;
}
