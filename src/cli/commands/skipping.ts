/** `--skip-damaged`: lets commands that read many rows go on without damaged ones, and reports those. */

import type { Command } from "commander";
import type { Damaged, DamagedRow } from "../../contracts/damaged.ts";
import { type Answer, counted } from "./command.ts";
import { nameOf } from "../terminal/row_name.ts";
import type { Screen } from "../terminal/screen.ts";

/** The option of these commands. */
export interface SkippingOptions {
  readonly skipDamaged?: true;
}

/** Declares the option. */
export function withSkipDamaged(command: Command): Command {
  return command.option(
    "--skip-damaged",
    "leave damaged rows out and list them; the exit status is 3 then",
  );
}

/** The option in the form that calls accept. */
export function damagedOption({ skipDamaged }: SkippingOptions): { readonly damaged: Damaged } {
  return { damaged: skipDamaged === true ? "skip" : "error" };
}

/** The most rows that are listed; of the others only the number is printed. JSON lists all. */
const NAMED_MAX = 20;

/** Reports skipped rows on standard error; resolves to the command's outcome. */
export async function reportSkipped(
  screen: Screen,
  skipped: readonly DamagedRow[],
): Promise<Answer> {
  if (skipped.length === 0) return true;
  if (screen.json) return "skipped";
  await screen.note(`Left out ${counted(skipped.length, "row")}, damaged or citing a damaged row:`);
  for (const row of skipped.slice(0, NAMED_MAX)) await screen.note(`  ${nameOf(row)}`);
  if (skipped.length > NAMED_MAX) {
    await screen.note(`  and ${counted(skipped.length - NAMED_MAX, "row")} more`);
  }
  return "skipped";
}
