/** `--skip-damaged`: what commands that read much do about damaged rows, and how they tell of them. */

import type { Command } from "commander";
import type { Damaged, DamagedRow } from "../../contracts/damaged.ts";
import { type Answer, counted } from "./command.ts";
import { nameOf } from "../terminal/row_name.ts";
import type { Screen } from "../terminal/screen.ts";

/** The option of such commands. */
export interface SkippingOptions {
  readonly skipDamaged?: true;
}

/** Declares the option. */
export function withSkipDamaged(command: Command): Command {
  return command.option(
    "--skip-damaged",
    "leave damaged rows out, and say which: the exit status is 3 then",
  );
}

/** The option as calls take it. */
export function damagedOption({ skipDamaged }: SkippingOptions): { readonly damaged: Damaged } {
  return { damaged: skipDamaged === true ? "skip" : "error" };
}

/** How many rows are listed; of more, only the number is printed. JSON has all. */
const NAMED_MAX = 20;

/** Tells what was left out, on standard error; gives what the command came to. */
export async function tellSkipped(
  screen: Screen,
  skipped: readonly DamagedRow[],
): Promise<Answer> {
  if (skipped.length === 0) return true;
  if (screen.json) return "skipped";
  await screen.note(`Left out ${counted(skipped.length, "row")}, damaged or citing what is:`);
  for (const row of skipped.slice(0, NAMED_MAX)) await screen.note(`  ${nameOf(row)}`);
  if (skipped.length > NAMED_MAX) {
    await screen.note(`  and ${counted(skipped.length - NAMED_MAX, "row")} more`);
  }
  return "skipped";
}
