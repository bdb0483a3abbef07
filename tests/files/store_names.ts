/** The eight names that a store may have in its directory. */

/** Main and its ledger. */
export const DATABASES = ["agent.db", "agent.db.deletions"] as const;

/** The sidecars that SQLite creates for them. */
export const SIDECARS = DATABASES.flatMap((name) =>
  ["-wal", "-shm", "-journal"].map((suffix) => name + suffix)
);

/** All of them. */
export const NAMES: readonly string[] = [...DATABASES, ...SIDECARS];
