/** Which of a store's two databases a path means. */

/** A store's two databases. */
export type DatabaseName = "main" | "ledger";

/** Tells main from ledger by path; in memory both have one path, and the ledger is opened first. */
export class DatabaseNames {
  #openedInMemory = 0;

  nameOf(path: string): DatabaseName {
    if (path === ":memory:") return this.#openedInMemory++ % 2 === 0 ? "ledger" : "main";
    return path.endsWith(".deletions") ? "ledger" : "main";
  }
}
