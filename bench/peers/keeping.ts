/**
 * Compares what each store keeps, apart from its cost. Every published answer is checked; the run fails if one is wrong.
 * An answer is `null` if the question does not arise, or if it depends on the caller.
 */

/** The stores, in the order of the columns. */
export const KEEPERS = ["Holdfast", "Deno KV", "JSON lines", "SQLite FTS5", "MemorySaver"] as const;

/** The name of a store. */
export type Keeper = (typeof KEEPERS)[number];

/** One question about all stores. */
export interface Keeping {
  readonly what: string;
  /** The published answers. */
  readonly published: Readonly<Record<Keeper, boolean | null>>;
  /** Checks the answers; a check resolves to undefined if its store is not available. */
  readonly checks: Readonly<Partial<Record<Keeper, () => Promise<boolean | undefined>>>>;
}

/** Returns a row of the table in docs/PEERS.md. */
export function rowOf({ what, published }: Keeping): string {
  const word = (keeper: Keeper): string =>
    published[keeper] === null ? "–" : published[keeper] ? "yes" : "no";
  return `| ${[what, ...KEEPERS.map(word)].join(" | ")} |`;
}
