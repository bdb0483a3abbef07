/** Imports lines and kills itself after a number of them; arguments: store, file of lines, number. */

import { openMemory } from "@holdfast/memory";
import { atNoon } from "../conversations/samples.ts";
import { NOTE } from "./filling.ts";

const [path, file, taken] = Deno.args as [string, string, string];

async function* lines(): AsyncGenerator<string> {
  let count = 0;
  for (const line of (await Deno.readTextFile(file)).trimEnd().split("\n")) {
    if (count++ === Number(taken)) {
      Deno.kill(Deno.pid, "SIGKILL");
      await new Promise(() => {});
    }
    yield line;
  }
}

await using memory = await openMemory(path, { ...atNoon(), kinds: [NOTE] });
await memory.importLines(lines());
