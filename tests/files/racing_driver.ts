import type { SqliteDriver } from "../../mod.ts";
import { observedDriver } from "./observed_driver.ts";

/** Something happens just before, or just after, SQLite opens a file. */
export function racing(when: "before" | "after", path: string, happen: () => void): SqliteDriver {
  let happened = false;
  return observedDriver({
    [when](call: { readonly path: string; readonly sql: string | null }): void {
      if (happened || call.path !== path || call.sql !== null) return;
      happened = true;
      happen();
    },
  });
}
