/**
 * The command `holdfast`: looks into and looks after a store.
 *
 * `deno run --allow-read=DIR --allow-write=DIR jsr:@holdfast/memory/cli --help`
 *
 * @module
 */

import { runCommandLine } from "./command_line.ts";

if (import.meta.main) Deno.exit(await runCommandLine(Deno.args));
