/** `check`: checks the whole store for damage. */

import {
  counted,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { Progress } from "../terminal/progress.ts";

/** Declares the command. */
export const CHECK: Declare = (program, run) => {
  storeCommand(program, "check", {
    summary: "Check the whole store for damage",
    access: "read",
    example: "DIR/agent.db",
    more: "Exits with 1 if anything is damaged.",
  }).action((store: string, options: StoreOptions) => run((session) => check(session, store, options)));
};

async function check({ screen, signal }: Session, store: string, options: StoreOptions): Promise<boolean> {
  await using memory = await openStore(store, options, "read");
  using progress = new Progress(screen);
  const report = await memory.check({
    signal,
    onProgress: ({ part, rows }) => progress.show(`checking ${part}`, rows),
  });
  if (screen.json) {
    await screen.value(report);
    return report.ok;
  }
  if (report.ok) {
    const rows = Object.values(report.rows).reduce((total, count) => total + count, 0);
    await screen.line(`Nothing is damaged: ${counted(rows, "row")} checked.`, "green");
    return true;
  }
  await screen.table(
    "Damage",
    [{ head: "file" }, { head: "table" }, { head: "row" }, { head: "problem" }],
    report.problems.map(({ database, table, row, problem }) => [database, table, row ?? "", problem]),
  );
  await screen.line(
    `${counted(report.problems.length, "problem")}. Restore a backup to replace damaged rows.`,
    "red",
  );
  return false;
}
