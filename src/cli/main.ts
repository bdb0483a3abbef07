/**
 * The command `holdfast`: inspects and maintains a store.
 *
 * `deno run --allow-read=DIR --allow-write=DIR jsr:@holdfast/memory/cli --help`
 *
 * @module
 */

import { runCommandLine } from "./command_line.ts";

if (import.meta.main) Deno.exit(await runCommandLine(Deno.args));
